// Built-in tools that would be turned on and off, with what each lets an agent do.
import type { BuiltinTool } from '@gatehouse/contracts'
import { Marked } from './marked.tsx'
import { turnsOf } from './turn.ts'
import { Untrusted } from '../untrusted.tsx'

const meanings: Readonly<Record<BuiltinTool, string>> = {
  read_file: 'reads files of its workspace and mounts',
  write_file: 'writes files of its workspace and of mounts that are writable',
  list_dir: 'lists directories',
  search: 'searches through files',
  send_message: 'answers; always on',
  read_persona: 'reads its own instructions',
  remember: 'keeps notes for later sessions',
  run_script: 'runs programs that it writes itself, inside the sandbox',
  request_capability_change: 'asks for more, which a person decides; always on',
}

const meaningOf = (name: string): string | undefined => Object.entries(meanings).find(([tool]) => tool === name)?.[1]

interface ToolsProps {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export const ToolsDiff = ({ before, after }: ToolsProps) => (
  <ul class="marks">
    {turnsOf(before, after).map(({ name, turn }) => (
      <Marked key={name} turn={turn}>
        <code>
          <Untrusted text={name} />
        </code>{' '}
        <span class="soft">{meaningOf(name)}</span>
      </Marked>
    ))}
  </ul>
)
