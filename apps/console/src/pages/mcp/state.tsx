// How a tool server goes, and where it is.
import type { CatalogEntry, ServerState } from '@gatehouse/contracts'
import { Untrusted } from '../../components/elements.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'

const tones = { up: 'good', connecting: 'info', idle: '', down: 'bad', 'needs-login': 'warn' } as const
const words = {
  up: 'up',
  connecting: 'connecting',
  idle: 'idle: it starts when it is needed',
  down: 'down',
  'needs-login': 'needs login: svcctl mcp login',
} as const

export const targetOf = (entry: CatalogEntry): string => (entry.transport === 'http' ? entry.url : [entry.command, ...entry.args].join(' '))

export const StateTag = ({ state }: { readonly state: ServerState | undefined }) =>
  state === undefined ? (
    <span class="tag">state unknown</span>
  ) : (
    <span class={`tag ${tones[state.status]}`}>
      {words[state.status]}
      {state.lastError !== undefined && (
        <>
          {', last failure: '}
          <Untrusted text={state.lastError} />
        </>
      )}
    </span>
  )

/** What a reader has to know beyond the state: when it is tried again, and whether its image moved. */
export const StateNote = ({ state }: { readonly state: ServerState | undefined }) => {
  const image = state?.image
  return (
    <>
      {state?.nextAttemptAt !== undefined && (
        <p class="note warn">
          The next attempt to reach it: <RelativeTime at={state.nextAttemptAt} />.
        </p>
      )}
      {image?.moved !== undefined && (
        <p class="note warn">
          {image.moved === null
            ? 'The image that the entry names is no longer on this host.'
            : 'The reference of the entry names another image now than the one that was saved and runs.'}
        </p>
      )}
    </>
  )
}
