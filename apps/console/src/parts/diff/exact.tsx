// The difference as it is applied and digested: every path with what stands there now and what would.
import type { Change } from '@gatehouse/contracts'
import { Json } from '../json.tsx'
import { Untrusted } from '../untrusted.tsx'

const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), document)

const atOnce = 200

export const ExactDiff = ({ change }: { readonly change: Pick<Change, 'diff' | 'before'> }) => (
  <div class="exact">
    {change.diff.length === 0 && <p>Nothing would be different.</p>}
    {change.diff.slice(0, atOnce).map((operation, index) => (
      <div key={index}>
        <p class="path">
          {operation.op} <code>{operation.path === '' ? 'all of it' : <Untrusted text={operation.path} />}</code>
        </p>
        {operation.op !== 'add' && change.before !== null && (
          <div class="gone">
            <Json value={valueAt(change.before, operation.path)} />
          </div>
        )}
        {operation.op !== 'remove' && (
          <div class="new">
            <Json value={operation.value} />
          </div>
        )}
      </div>
    ))}
    {change.diff.length > atOnce && <p class="soft">and {change.diff.length - atOnce} more: svcctl change show prints them all</p>}
  </div>
)
