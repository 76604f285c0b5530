// What a server declares, to be read, searched and chosen from. Schemas are made when they are opened: hundreds stay quick.
import { type ToolDefinition, visible } from '@gatehouse/contracts'
import { useMemo, useState } from 'preact/hooks'
import { Tool } from '../../components/tool.tsx'

interface ToolsProps {
  readonly server: string
  readonly tools: readonly ToolDefinition[]
  readonly chosen: ReadonlySet<string>
  readonly choose: (chosen: ReadonlySet<string>) => void
}

const fits = ({ name, description = '' }: ToolDefinition, wanted: string): boolean =>
  `${name} ${description}`.toLowerCase().includes(wanted)

export const Tools = ({ server, tools, chosen, choose }: ToolsProps) => {
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
            <Tool tool={tool} />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="soft">{tools.length === 0 ? 'It declares no tools.' : 'No tool matches.'}</p>}
    </>
  )
}
