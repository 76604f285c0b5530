// Why the reader may not do something, where the button would stand.

export const Lacks = ({ why }: { readonly why: string | undefined }) => (why === undefined ? null : <p class="hint">{why}</p>)
