// One tool as its server declares it: description, parameters, hints and schemas.
import type { ToolDefinition } from '@gatehouse/contracts'
import { Collapsible, Json, Untrusted } from './elements.tsx'
import { Icon } from './icon.tsx'
import { parametersOf } from './tool-parameters.ts'

const hints = [
  ['destructiveHint', true, 'destructive', 'bad'],
  ['readOnlyHint', true, 'read-only', 'good'],
  ['openWorldHint', true, 'open world', 'warn'],
] as const

const Hints = ({ annotations = {} }: Pick<ToolDefinition, 'annotations'>) => (
  <>
    {hints.map(
      ([name, value, text, tone]) =>
        annotations[name] === value && (
          <span key={name} class={`tag ${tone}`}>
            {tone !== 'good' && <Icon name="warning" />} {text}
          </span>
        ),
    )}
  </>
)

const Parameters = ({ tool }: { readonly tool: ToolDefinition }) => {
  const parameters = parametersOf(tool)
  if (parameters.length === 0) return <p class="soft">No parameters.</p>
  return (
    <dl class="fields">
      {parameters.map(({ name, type, required, about }) => (
        <div key={name} class="field-row">
          <dt>
            <code>
              <Untrusted text={name} />
            </code>
            {required && <span class="soft"> required</span>}
          </dt>
          <dd>
            <Untrusted text={type} />
            {about !== '' && (
              <span class="soft">
                {' – '}
                <Untrusted text={about} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const Rest = ({ tool: { inputSchema, outputSchema, annotations } }: { readonly tool: ToolDefinition }) => (
  <Collapsible summary="Schemas as declared">
    {() => (
      <Json
        value={{ inputSchema, ...(outputSchema !== undefined && { outputSchema }), ...(annotations !== undefined && { annotations }) }}
      />
    )}
  </Collapsible>
)

interface ToolProps {
  readonly tool: ToolDefinition
  readonly open?: boolean
}

/** Its description is what the agent will read: it is shown in full. */
export const Tool = ({ tool, open = false }: ToolProps) => (
  <Collapsible
    class="tool"
    open={open}
    summary={
      <>
        <code>
          <Untrusted text={tool.name} />
        </code>{' '}
        <Hints annotations={tool.annotations} />
        <span class="about">
          <Untrusted text={tool.description ?? 'No description.'} />
        </span>
      </>
    }
  >
    {() => (
      <div class="tool-body">
        {tool.description !== undefined && (
          <p class="words">
            <Untrusted text={tool.description} />
          </p>
        )}
        <Parameters tool={tool} />
        <Rest tool={tool} />
      </div>
    )}
  </Collapsible>
)
