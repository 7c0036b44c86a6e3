import type { ReactNode } from 'react';
import { Dialog, Heading, Modal as AriaModal, ModalOverlay } from 'react-aria-components';

interface ModalProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
  readonly onClose: () => void;
}

/** A dialog in front of the page. Escape and a press beside it close it. */
export function Modal({ title, children, isOpen = true, onClose }: ModalProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={onClose} isDismissable>
      <AriaModal className="card">
        <Dialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
