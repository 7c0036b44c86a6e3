/** Go programs of tests are built more often than they work hard, so they are compiled fast: a third less processor time, and one cache for all. */
export const goEnv: Readonly<Record<string, string>> = {
  CGO_ENABLED: '0',
  // Memory for the compiler's time.
  GOGC: '400',
  GOFLAGS: "'-gcflags=all=-l -dwarf=false' -ldflags=-w -buildvcs=false",
};
