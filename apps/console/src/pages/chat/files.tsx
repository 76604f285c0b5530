// Files in the workspace of an agent group: listed, downloaded, uploaded.
import type { FileItem } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { MissingRole, Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { saveFile } from '../../components/save-file.ts'
import { type Action, useAction } from '../../components/use-action.ts'
import { useLive } from '../../live/use-live.ts'
import { useApi, useMissingRole } from '../../unit/unit.ts'

const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

const size = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

interface ItemProps {
  readonly item: FileItem
  readonly open: () => void
  readonly fetch: () => void
}

const Item = ({ item: { name, kind, size: bytes, modifiedAt, readable }, open, fetch }: ItemProps) => (
  <li data-row>
    {readable ? (
      <button type="button" class="link" onClick={kind === 'directory' ? open : fetch}>
        <Untrusted text={kind === 'directory' ? `${name}/` : name} />
      </button>
    ) : (
      <Untrusted text={name} />
    )}{' '}
    <span class="soft">
      {kind === 'file' ? `${size.format(bytes)}B` : kind}, <RelativeTime at={modifiedAt} />
      {!readable && ', cannot be fetched'}
    </span>
  </li>
)

const Give = ({ give, act }: { readonly give: (file: File) => Promise<void>; readonly act: Action }) => {
  const lacks = useMissingRole('requester')
  return (
    <>
      <label class="field">
        Upload a file
        <input
          type="file"
          disabled={act.busy || lacks !== undefined}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            currentTarget.value = ''
            if (file !== undefined) void give(file)
          }}
        />
      </label>
      <MissingRole why={lacks} />
    </>
  )
}

const FileSheet = ({ group }: { readonly group: string }) => {
  const api = useApi()
  const act = useAction()
  const [folder, setFolder] = useState('')
  const live = useLive((signal) => api.files.list(group, { path: folder, limit: 200 }, { signal }), { of: [group, folder], every: 5_000 })
  const fetch = (name: string): Promise<boolean> =>
    act.run(async () => saveFile(name, await api.files.get(group, { path: below(folder, name) })))
  const give = async (file: File): Promise<void> => {
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (await act.run(() => api.files.put(group, { path: below(folder, file.name), bytes }))) notify(`${file.name} uploaded.`)
    live.refresh()
  }
  const items = live.data?.items ?? []
  return (
    <div class="stack">
      <p>
        <button type="button" class="link" onClick={() => setFolder('')}>
          workspace
        </button>
        /<Untrusted text={folder} />
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      <ListFrame live={live} count={items.length} empty={<p>No files.</p>}>
        <ul class="plain">
          {items.map((item) => (
            <Item key={item.name} item={item} open={() => setFolder(below(folder, item.name))} fetch={() => void fetch(item.name)} />
          ))}
        </ul>
        {(live.data?.nextCursor !== undefined || live.data?.truncated === true) && (
          <p class="hint">There are more: svcctl files ls {group}</p>
        )}
      </ListFrame>
      <Give give={give} act={act} />
    </div>
  )
}

/** Asks for nothing before it is opened. */
export const Files = ({ group }: { readonly group: string }) => {
  const [open, setOpen] = useState(false)
  return (
    <details class="card files" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Files of the workspace</summary>
      {open && <FileSheet group={group} />}
    </details>
  )
}
