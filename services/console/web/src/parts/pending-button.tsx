import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Button, type ButtonProps } from 'react-aria-components';

interface PendingButtonProps extends Omit<ButtonProps, 'onFocus' | 'onBlur'> {
  readonly isPending: boolean;
  readonly ref?: RefObject<HTMLButtonElement | null>;
}

/** A button that cannot be pressed during its act. Browsers take the focus from such a button: it comes back, unless it has gone elsewhere. */
export function PendingButton({ isPending, isDisabled = false, ref, ...props }: PendingButtonProps) {
  const own = useRef<HTMLButtonElement>(null);
  const button = ref ?? own;
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (!isPending && hadFocus.current && document.activeElement === document.body) button.current?.focus();
  }, [isPending, button]);
  return (
    <Button
      ref={button}
      isDisabled={isDisabled || isPending}
      {...props}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={() => {
        if (button.current?.disabled === false) hadFocus.current = false;
      }}
    />
  );
}
