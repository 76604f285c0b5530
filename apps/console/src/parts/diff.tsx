// What a change alters: every path of it, with what stands there now and what would.
import type { Change } from '@gatehouse/contracts'
import { Untrusted } from './untrusted.tsx'

const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), document)

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

export const Diff = ({ change }: { readonly change: Change }) => (
  <div class="diff">
    {change.diff.length === 0 && <p>Nothing would be different.</p>}
    {change.diff.map((operation) => (
      <div key={`${operation.op}${operation.path}`}>
        <p class="path">{operation.path === '' ? 'all of it' : operation.path}</p>
        {operation.op !== 'add' && change.before !== null && (
          <pre class="gone">
            <span aria-hidden="true">− </span>
            <Untrusted text={shown(valueAt(change.before, operation.path))} />
          </pre>
        )}
        {operation.op !== 'remove' && (
          <pre class="new">
            <span aria-hidden="true">+ </span>
            <Untrusted text={shown(operation.value)} />
          </pre>
        )}
      </div>
    ))}
    {change.evidence !== null && (
      <details>
        <summary>Evidence</summary>
        <pre>
          <Untrusted text={shown(change.evidence)} />
        </pre>
      </details>
    )}
  </div>
)
