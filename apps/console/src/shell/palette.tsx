// Search and commands over every page: pages, changes, groups, servers and sessions by any word, and the acts of the page.
import { visible } from '@gatehouse/contracts'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { changeTitle } from '../components/diff/change-title.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { allShortcuts } from '../keyboard/shortcuts.ts'
import { useLive } from '../live/use-live.ts'
import { pages } from '../pages/pages.ts'
import { go, type Target } from '../router/router.ts'
import { useApi, useUnit } from '../unit/unit.ts'
import { matchEntries, type PaletteEntry } from './match-entries.ts'

interface Command extends PaletteEntry {
  readonly icon: IconName
  readonly run: () => void
}

const place = (icon: IconName, entry: PaletteEntry, target: Target): Command => ({ ...entry, icon, run: () => go(target) })

const staticCommands = (): readonly Command[] => [
  ...allShortcuts()
    .filter(({ keys }) => !keys.startsWith('g ') && !['j', 'k', '/', '?'].includes(keys))
    .map(({ keys, label, act }): Command => ({ id: `key-${keys}`, label, hint: `key ${keys}`, icon: 'right', run: act })),
  ...pages
    .filter(({ key }) => key !== undefined)
    .map(({ page, title, icon }) => place(icon, { id: `page-${page}`, label: `Go to ${title}`, hint: 'page' }, { page })),
]

/** What the unit has, read once when the palette opens. */
const useCommands = (): readonly Command[] => {
  const api = useApi()
  const hasServers = useUnit().status?.mcp.enabled === true
  const own = useMemo(staticCommands, [])
  const changes = useLive((signal) => api.changes.pending({ limit: 200 }, { signal })).data?.items
  const groups = useLive((signal) => api.groups.list({ limit: 200 }, { signal })).data?.items
  const servers = useLive(async (signal) => (hasServers ? (await api.servers.list({ signal })).items : [])).data
  const sessions = useLive((signal) => api.sessions.list({ limit: 200 }, { signal })).data?.items
  return useMemo(
    () => [
      ...own,
      ...(changes ?? []).map((change) =>
        place(
          change.kind,
          { id: change.id, label: visible(changeTitle(change)), hint: `${change.risk} risk · ${change.id}` },
          { page: 'changes', rest: [change.id] },
        ),
      ),
      ...(groups ?? []).map(({ id, name }) =>
        place('agents', { id: `group-${id}`, label: visible(name), hint: `agent group · ${id}` }, { page: 'agents', rest: [id] }),
      ),
      ...(servers ?? []).map(({ name }) =>
        place('mcp', { id: `server-${name}`, label: name, hint: 'MCP server' }, { page: 'mcp', rest: [name] }),
      ),
      ...(sessions ?? []).map(({ id, agentGroupID, conversationId }) =>
        place('sessions', { id, label: `${agentGroupID} ${conversationId}`, hint: `session · ${id}` }, { page: 'sessions', rest: [id] }),
      ),
    ],
    [own, changes, groups, servers, sessions],
  )
}

const Results = ({ list, chosen, id, run }: { list: readonly Command[]; chosen: number; id: string; run: (command: Command) => void }) => (
  <ul class="results" role="listbox" id={id} aria-label="Results">
    {list.map((command, index) => (
      <li key={command.id} id={`${id}-${index}`} role="option" aria-selected={index === chosen} onClick={() => run(command)}>
        <Icon name={command.icon} />
        <span class="result">{command.label}</span>
        <span class="soft">{command.hint}</span>
      </li>
    ))}
  </ul>
)

export const Palette = ({ close }: { readonly close: () => void }) => {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = matchEntries(useCommands(), words)
  useEffect(() => box.current?.showModal(), [])
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    close()
    command.run()
  }
  return (
    <dialog ref={box} class="palette" aria-label="Search and commands" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={list.length === 0 ? undefined : `${id}-${chosen}`}
        aria-label="Search or run a command"
        placeholder="Page, change, group, server, session or command"
        autocomplete="off"
        spellcheck={false}
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault()
            setChosen(Math.min(Math.max(chosen + (event.key === 'ArrowDown' ? 1 : -1), 0), list.length - 1))
          }
          if (event.key === 'Enter') {
            event.preventDefault()
            run(list[chosen])
          }
        }}
      />
      <Results list={list} chosen={chosen} id={id} run={run} />
      {list.length === 0 && <p class="soft none">No match.</p>}
    </dialog>
  )
}
