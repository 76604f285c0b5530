// Text that somebody else wrote: always a text node, with characters that hide or reorder shown by their code.
import { visible } from '@gatehouse/contracts'

export const Untrusted = ({ text }: { readonly text: string }) => <>{visible(text)}</>
