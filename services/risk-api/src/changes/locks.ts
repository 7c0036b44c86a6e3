/** Advisory locks; any numbers will do. */

/** Changes are told, and the index is swept, alone; scores are stored and watches written together. So a score and what it looked at are either seen by a change, or come after it. */
export const tellLock = 7_305_141_984n;

/** One replica deals with changed labels at a time. */
export const turnLock = 7_305_141_985n;
