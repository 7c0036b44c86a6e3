import type { ReactNode } from 'react';
import { Dialog, Heading, Modal as AriaModal, ModalOverlay } from 'react-aria-components';

interface ModalProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
  readonly onClose: () => void;
  /** A press beside it closes it. Not where a person has written something. */
  readonly isDismissable?: boolean;
}

/** A dialog in front of the page. Escape closes it. */
export function Modal({ title, children, isOpen = true, onClose, isDismissable = true }: ModalProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={onClose} isDismissable={isDismissable}>
      <AriaModal className="card">
        <Dialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
