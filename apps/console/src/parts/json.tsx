// A value as JSON that hides nothing.
import { visibleJson } from '@gatehouse/contracts'

export const Json = ({ value }: { readonly value: unknown }) => <pre class="json">{visibleJson(JSON.stringify(value, null, 2) ?? '')}</pre>
