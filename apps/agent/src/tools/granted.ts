// Tools of tool servers, called through the broker: once each, with the outcome in words for the model.
import { explain, fields, list, problemCode, text } from '../host/fields.ts'
import { type Answer, Unanswered } from '../host/request.ts'
import type { ToolsClient } from '../host/tools.ts'
import { failed, type Outcome } from './own.ts'

const askFor =
  'You may ask for it with request_capability_change (kind mcp_access); a human decides. Until then go on without it, and say so.'

/** What may be done next, by the code of the refusal. */
const next: Readonly<Record<string, string>> = {
  'not-granted': askFor,
  revoked: `It was taken away. ${askFor}`,
  'not-declared': 'The tool server does not offer it now. Use another tool, or tell the human.',
  'definition-changed': `The tool is no longer what was approved. ${askFor}`,
  frozen: 'That lasts until a human lifts the freeze. Say so, and do not try again in this conversation turn.',
  'server-unavailable': 'The tool server does not answer. You may try once more later; tell the human if it stays so.',
  timeout: 'Whether it was done is not known. Do not repeat it unless doing it twice does no harm.',
  'too-large': 'Ask for less at once.',
  cancelled: 'It was cancelled.',
  busy: 'You may try again in a moment.',
  'upstream-error': 'The tool server failed. Check the arguments; do not repeat it blindly.',
  'input-required-unsupported': 'The tool wants to ask a human something, which it cannot do here. Use another tool, or tell the human.',
  'audit-unwritable': 'Nothing can be done until the operator has made room. Say so.',
}

const refusal = (error: unknown, status: number): Outcome => {
  const code = problemCode(error)
  return failed(`${explain(error, status)}. ${next[code] ?? 'Check the arguments, or tell the human.'}`)
}

const imageOf = (value: unknown): { mediaType: string; data: string }[] => {
  const block = fields(value)
  const [mediaType, data] = [text(block['mimeType']), text(block['data'])]
  return block['type'] === 'image' && mediaType !== undefined && data !== undefined ? [{ mediaType, data }] : []
}

const textOf = (value: unknown): string[] => {
  const block = fields(value)
  const said = text(block['text'])
  if (said !== undefined) return [said]
  const resource = fields(block['resource'])
  const name = text(resource['uri']) ?? text(block['uri']) ?? text(block['mimeType']) ?? ''
  if (block['type'] === 'image') return []
  return [text(resource['text']) ?? `[${text(block['type']) ?? 'content'} ${name}]`]
}

/** Structured content is shown where the text does not say it already. */
const structured = (value: unknown, shown: string): string[] => {
  if (value === undefined) return []
  const json = JSON.stringify(value)
  return shown.replaceAll(/\s/g, '').includes(json.replaceAll(/\s/g, '')) ? [] : [json]
}

const describeResult = ({ status, body }: Answer): Outcome => {
  if (status !== 200) return refusal(body, status)
  const result = fields(body)
  if (result['error'] !== undefined) return refusal(result['error'], status)
  const content = list(result['content'])
  const said = content.flatMap(textOf).join('\n')
  const all = [...(said === '' ? [] : [said]), ...structured(result['structuredContent'], said)].join('\n')
  if (result['isError'] === true) return failed(all === '' ? 'the tool failed and did not say why' : all)
  const images = content.flatMap(imageOf)
  return { text: all === '' && images.length === 0 ? 'done; the tool answered nothing' : all, images }
}

export const callGranted = async (tools: ToolsClient, name: string, args: unknown): Promise<Outcome> => {
  try {
    return describeResult(await tools.call(name, args))
  } catch (error) {
    if (error instanceof Unanswered)
      return failed(`Outcome unknown: the answer to ${name} was lost (${error.message}). Do not repeat it by yourself.`)
    throw error
  }
}
