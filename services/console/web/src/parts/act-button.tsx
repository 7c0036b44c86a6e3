import type { UseMutationResult } from '@tanstack/react-query';
import { PendingButton } from './pending-button.tsx';
import { Problem } from './states.tsx';

interface ActButtonProps {
  readonly act: Pick<UseMutationResult, 'error' | 'isPending' | 'isSuccess'>;
  readonly label: string;
  /** Before the act, and after it. */
  readonly hint: string;
  readonly done: string;
  readonly isPrimary?: boolean;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/** A button with its hint and the error of its act. */
export function ActButton({ act, label, hint, done, isPrimary = false, isDisabled = false, onPress }: ActButtonProps) {
  return (
    <>
      {act.error !== null && <Problem text={act.error.message} />}
      <p className="row">
        <PendingButton className={isPrimary ? 'primary' : ''} isDisabled={isDisabled} isPending={act.isPending} onPress={onPress}>
          {label}
        </PendingButton>
        <span className="muted" role="status">
          {act.isSuccess ? done : hint}
        </span>
      </p>
    </>
  );
}
