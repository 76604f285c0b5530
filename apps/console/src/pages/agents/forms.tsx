// The forms that request other instructions, tools, packages, mounts and routes for an agent group.
import { type AgentGroup, alwaysOnTools, type BuiltinTool, builtinTools, channels, type Mount } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { ChoiceField, TextArea, TextField } from '../../components/fields.tsx'
import { splitLines } from '../../components/split-lines.ts'
import { AskForm } from './ask-form.tsx'

export const PersonaForm = ({ group }: { readonly group: AgentGroup }) => {
  const [text, setText] = useState(group.persona)
  return (
    <AskForm kind="persona" agentGroupID={group.id} after={() => ({ instructions: text })} label="Request these instructions">
      <TextArea label="Instructions" prose rows={10} value={text} set={setText} />
    </AskForm>
  )
}

const stays = (tool: BuiltinTool): boolean => alwaysOnTools.some((always) => always === tool)

export const ToolsForm = ({ group }: { readonly group: AgentGroup }) => {
  const [enabled, setEnabled] = useState<readonly BuiltinTool[]>(group.tools)
  const turn = (tool: BuiltinTool, on: boolean): void =>
    setEnabled(builtinTools.filter((each) => (each === tool ? on : enabled.includes(each))))
  return (
    <AskForm kind="tools" agentGroupID={group.id} after={() => ({ enabled })} label="Request these tools">
      <fieldset>
        <legend>Enabled</legend>
        {builtinTools.map((tool) => (
          <label key={tool} class="choice">
            <input
              type="checkbox"
              checked={stays(tool) || enabled.includes(tool)}
              disabled={stays(tool)}
              onChange={(event) => turn(tool, event.currentTarget.checked)}
            />{' '}
            <code>{tool}</code>
            {stays(tool) && <span class="hint">always on</span>}
            {tool === 'run_script' && <span class="hint">runs programs in the sandbox</span>}
          </label>
        ))}
      </fieldset>
    </AskForm>
  )
}

export const PackagesForm = ({ group }: { readonly group: AgentGroup }) => {
  const [text, setText] = useState(group.packages?.npm.join('\n') ?? '')
  const after = () => ({ npm: splitLines(text).map((line) => line.trim()) })
  return (
    <AskForm kind="packages" agentGroupID={group.id} after={after} label="Request these packages">
      <TextArea
        label="Packages of npm, one a line"
        hint="name@1.2.3, the exact version. Those that are not named go; the host finds out what each brings along."
        value={text}
        set={setText}
      />
    </AskForm>
  )
}

interface RowProps {
  readonly mount: Mount
  readonly set: (part: Partial<Mount>) => void
  readonly remove: () => void
}

const Row = ({ mount, set, remove }: RowProps) => (
  <fieldset>
    <legend>Mount</legend>
    <div class="pair">
      <TextField label="On the host" required pattern="/.*" value={mount.source} set={(source) => set({ source })} />
      <TextField label="In the sandbox" required pattern="/mnt/.+" value={mount.target} set={(target) => set({ target })} />
    </div>
    <label class="choice">
      <input type="checkbox" checked={mount.mode === 'rw'} onChange={(event) => set({ mode: event.currentTarget.checked ? 'rw' : 'ro' })} />{' '}
      The agent may write there
    </label>
    <button type="button" class="quiet small" onClick={remove}>
      Remove
    </button>
  </fieldset>
)

export const MountsForm = ({ group }: { readonly group: AgentGroup }) => {
  const [mounts, setMounts] = useState<readonly Mount[]>(() => group.mounts.map(({ source, target, mode }) => ({ source, target, mode })))
  return (
    <AskForm kind="mounts" agentGroupID={group.id} after={() => ({ mounts })} label="Request these mounts">
      {mounts.map((mount, place) => (
        <Row
          key={place}
          mount={mount}
          set={(part) => setMounts(mounts.with(place, { ...mount, ...part }))}
          remove={() => setMounts(mounts.toSpliced(place, 1))}
        />
      ))}
      <button type="button" class="quiet" onClick={() => setMounts([...mounts, { source: '', target: '/mnt/', mode: 'ro' }])}>
        Add mount
      </button>
    </AskForm>
  )
}

const engages = ['mention', 'all', 'pattern'] as const
const sessions = ['shared', 'thread', 'person'] as const

export const WiringForm = ({ id }: { readonly id: string }) => {
  const [channel, setChannel] = useState<(typeof channels)[number]>('slack')
  const [address, setAddress] = useState('')
  const [engage, setEngage] = useState<(typeof engages)[number]>('mention')
  const [pattern, setPattern] = useState('')
  const [session, setSession] = useState<(typeof sessions)[number]>('thread')
  const after = () => ({ channel, address, engage, session, ...(engage === 'pattern' && { pattern }) })
  return (
    <AskForm kind="wiring" agentGroupID={id} after={after} label="Request this address">
      <div class="pair">
        <ChoiceField label="Channel" choices={channels} value={channel} set={setChannel} />
        <TextField label="Address" required maxLength={256} hint="As the channel names it." value={address} set={setAddress} />
        <ChoiceField label="Responds to" choices={engages} value={engage} set={setEngage} />
        {engage === 'pattern' && <TextField label="Pattern" required maxLength={256} value={pattern} set={setPattern} />}
        <ChoiceField label="One session per" choices={sessions} value={session} set={setSession} />
      </div>
    </AskForm>
  )
}
