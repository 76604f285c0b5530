// Named tokens: list, create, revoke.
import { type MintedToken, type Role, roles, type Token } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { wallMs } from '../../clock.ts'
import { Confirm, Dialog } from '../../components/dialog.tsx'
import { MissingRole, Untrusted } from '../../components/elements.tsx'
import { Columns, ListFrame } from '../../components/list.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAction } from '../../components/use-action.ts'
import { useLive } from '../../live/use-live.ts'
import { useApi, useMissingRole } from '../../unit/unit.ts'

const may: Readonly<Record<Role, string>> = {
  auditor: 'reads',
  requester: 'reads, talks to agents, asks for changes',
  approver: 'also decides changes, freezes, ends sessions',
  admin: 'also edits the catalog, makes tokens, lifts freezes',
  client: 'uses the tools of its group at the MCP endpoint, and nothing else',
}

const isRole = (value: string): value is Role => value in may

const day = 86_400_000

/** A form for a new token: name, role, groups, expiry. */
const NewToken = ({ made }: { readonly made: (token: MintedToken) => void }) => {
  const api = useApi()
  const act = useAction()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('approver')
  const [groups, setGroups] = useState('')
  const [days, setDays] = useState('90')
  const submit = async (): Promise<void> => {
    const list = groups.split(/[\s,]+/).filter((id) => id !== '')
    const done = await act.run(async () => {
      const expiresAt = days === '' ? undefined : new Date(wallMs() + Number(days) * day).toISOString()
      made(await api.tokens.create({ name, role, ...(list.length > 0 && { groups: list }), ...(expiresAt !== undefined && { expiresAt }) }))
    })
    if (done) setName('')
  }
  return (
    <form
      class="filters new-token"
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        Name
        <input value={name} required maxLength={63} placeholder="alice" onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        Role
        <select value={role} onChange={({ currentTarget: { value } }) => isRole(value) && setRole(value)}>
          {roles.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Groups
        <input value={groups} placeholder="all" onInput={(event) => setGroups(event.currentTarget.value)} />
      </label>
      <label class="field">
        Expires in days
        <input type="number" min="1" max="3650" value={days} placeholder="never" onInput={(event) => setDays(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={act.busy}>
        Create token
      </button>
      <p class="hint says">
        {role}: {may[role]}.
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
    </form>
  )
}

const Rows = ({ items, revoke }: { readonly items: readonly Token[]; readonly revoke: ((name: string) => void) | undefined }) => (
  <div class="scroll">
    <table>
      <Columns names={['Name', 'Role', 'Groups', 'Created', 'Last used', 'Expires', <span class="unseen">Revoke</span>]} />
      <tbody>
        {items.map(({ name, role, groups, createdAt, createdBy, lastUsedAt, expiresAt }) => (
          <tr key={name} data-row>
            <td>{name}</td>
            <td>{role}</td>
            <td>{groups?.join(', ') ?? 'all'}</td>
            <td>
              <RelativeTime at={createdAt} /> by <Untrusted text={createdBy} />
            </td>
            <td>{lastUsedAt === undefined ? 'never' : <RelativeTime at={lastUsedAt} />}</td>
            <td>{expiresAt === undefined ? 'never' : <RelativeTime at={expiresAt} />}</td>
            <td>
              {revoke !== undefined && (
                <button type="button" class="danger small" aria-label={`Revoke ${name}`} onClick={() => revoke(name)}>
                  Revoke
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Minted = ({ minted, close }: { readonly minted: MintedToken; readonly close: () => void }) => (
  <Dialog title={`Token of ${minted.name}`} close={close}>
    <p>It is shown only once. Share it with its owner over a secure channel.</p>
    <pre tabIndex={0}>{minted.token}</pre>
  </Dialog>
)

export const TokenSection = () => {
  const api = useApi()
  const lacks = useMissingRole('admin')
  const live = useLive((signal) => api.tokens.list({ limit: 200 }, { signal }), { wants: ({ stage }) => stage.startsWith('token-') })
  const [minted, setMinted] = useState<MintedToken>()
  const [revokes, setRevokes] = useState<string>()
  const items = live.data?.items ?? []
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      {lacks === undefined ? (
        <>
          <ListFrame live={live} count={items.length} empty={<p>Only the admin token exists. Create one for each person and program.</p>}>
            <Rows items={items} revoke={setRevokes} />
          </ListFrame>
          <NewToken
            made={(token) => {
              setMinted(token)
              live.refresh()
            }}
          />
        </>
      ) : (
        <MissingRole why={lacks} />
      )}
      {minted !== undefined && <Minted minted={minted} close={() => setMinted(undefined)} />}
      {revokes !== undefined && (
        <Confirm
          title={`Revoke ${revokes}`}
          says="Its holder is signed out at once, and open connections end."
          act="Revoke"
          run={async () => {
            await api.tokens.revoke(revokes)
            live.refresh()
          }}
          close={() => setRevokes(undefined)}
        />
      )}
    </section>
  )
}
