// Which tools the agent program itself brings along.
import { type AgentGroup, alwaysOnTools, type BuiltinTool, builtinTools } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { AskForm } from './ask-form.tsx'

const stays = (tool: BuiltinTool): boolean => alwaysOnTools.some((always) => always === tool)

export const ToolsForm = ({ group }: { readonly group: AgentGroup }) => {
  const [enabled, setEnabled] = useState<readonly BuiltinTool[]>(group.tools)
  const turn = (tool: BuiltinTool, on: boolean): void =>
    setEnabled(builtinTools.filter((each) => (each === tool ? on : enabled.includes(each))))
  return (
    <AskForm kind="tools" agentGroupID={group.id} after={() => ({ enabled })} label="Ask for these tools">
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
