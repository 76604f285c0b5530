// What a server declares, to be read, searched and chosen from. Schemas are made when they are opened: hundreds stay quick.
import { type GrantView, type ToolDefinition, visible } from '@gatehouse/contracts'
import { useMemo, useState } from 'preact/hooks'
import { Untrusted } from '../../components/elements.tsx'
import { Tool } from '../../components/tool.tsx'
import { nameList } from '../../components/units.ts'

interface ToolsProps {
  readonly server: string
  readonly tools: readonly ToolDefinition[]
  readonly chosen: ReadonlySet<string>
  readonly choose: (chosen: ReadonlySet<string>) => void
  /** Grants of the server that are in force. */
  readonly grants: readonly GrantView[]
}

/** Agent groups that may call the tool, and whether its definition differs from the one that was approved for them. */
const Holders = ({ name, grants }: { readonly name: string } & Pick<ToolsProps, 'grants'>) => {
  const holders = grants.filter(({ tools }) => tools.length === 0 || tools.includes(name))
  const drifted = holders.filter(({ changed }) => changed.includes(name))
  const added = holders.filter((grant) => grant.added.includes(name))
  return (
    <p class="holders hint">
      {holders.length === 0 ? (
        'granted to no group'
      ) : (
        <Untrusted text={`granted to ${nameList(holders.map(({ agentGroupID }) => agentGroupID))}`} />
      )}
      {drifted.length > 0 && <span class="tag warn">changed since approval</span>}
      {added.length > 0 && <span class="tag warn">new since approval</span>}
    </p>
  )
}

const fits = ({ name, description = '' }: ToolDefinition, wanted: string): boolean =>
  `${name} ${description}`.toLowerCase().includes(wanted)

export const Tools = ({ server, tools, chosen, choose, grants }: ToolsProps) => {
  const [wanted, setWanted] = useState('')
  const shown = useMemo(() => tools.filter((tool) => fits(tool, wanted.trim().toLowerCase())), [tools, wanted])
  const turn = (name: string): void => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    choose(next)
  }
  return (
    <>
      {tools.length > 8 && (
        <label class="field">
          Find a tool
          <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        </label>
      )}
      <ul class="marks tools" aria-label={`Tools of ${server}`}>
        {shown.map((tool) => (
          <li key={tool.name} class="pick" data-row>
            <input
              type="checkbox"
              checked={chosen.has(tool.name)}
              aria-label={`Select ${visible(tool.name)}`}
              onChange={() => turn(tool.name)}
            />
            <div>
              <Tool tool={tool} />
              <Holders name={tool.name} grants={grants} />
            </div>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="soft">{tools.length === 0 ? 'It declares no tools.' : 'No tool matches.'}</p>}
    </>
  )
}
