// Named tokens: who has which role, since when, used when; made and revoked.
import type { MintedToken, Token } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { Columns } from '../../parts/columns.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Lacks } from '../../parts/lacks.tsx'
import { ListFrame } from '../../parts/list-frame.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { useApi, useLacks } from '../../unit/unit.ts'
import { NewToken } from './new-token.tsx'

const Rows = ({ items, revoke }: { readonly items: readonly Token[]; readonly revoke: ((name: string) => void) | undefined }) => (
  <div class="scroll">
    <table>
      <Columns names={['Name', 'Role', 'Groups', 'Made', 'Last used', 'Ends', <span class="unseen">Revoke</span>]} />
      <tbody>
        {items.map(({ name, role, groups, createdAt, createdBy, lastUsedAt, expiresAt }) => (
          <tr key={name} data-row>
            <td>{name}</td>
            <td>{role}</td>
            <td>{groups?.join(', ') ?? 'all'}</td>
            <td>
              <When at={createdAt} /> by <Untrusted text={createdBy} />
            </td>
            <td>{lastUsedAt === undefined ? 'never' : <When at={lastUsedAt} />}</td>
            <td>{expiresAt === undefined ? 'never' : <When at={expiresAt} />}</td>
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
    <p>This is the only time that it is shown. Give it to its owner over a way that nobody else reads.</p>
    <pre tabIndex={0}>{minted.token}</pre>
  </Dialog>
)

export const TokenSection = () => {
  const api = useApi()
  const lacks = useLacks('admin')
  const live = useLive((signal) => api.tokens.list({ limit: 200 }, { signal }), { wants: ({ stage }) => stage.startsWith('token-') })
  const [minted, setMinted] = useState<MintedToken>()
  const [revokes, setRevokes] = useState<string>()
  const items = live.data?.items ?? []
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      {lacks === undefined ? (
        <>
          <ListFrame live={live} count={items.length} empty={<p>There is only the admin's token. Make one for each person and program.</p>}>
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
        <Lacks why={lacks} />
      )}
      {minted !== undefined && <Minted minted={minted} close={() => setMinted(undefined)} />}
      {revokes !== undefined && (
        <Confirm
          title={`Revoke ${revokes}`}
          says="Whoever holds it is signed out at once, and what is open on it ends."
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
