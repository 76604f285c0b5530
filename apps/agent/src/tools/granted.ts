// Calls granted tools through the broker, without retries, and describes the outcome for the model.
import { explain, fields, list, problemCode, text } from '../host/fields.ts'
import { type Answer, Unanswered } from '../host/request.ts'
import type { ToolsClient } from '../host/tools.ts'
import { failed, type Outcome } from './own.ts'

const requestHint =
  'You can request it with request_capability_change (kind mcp_access); a human decides. Until then, continue without it and say so.'

/** What the model can do next, by error code. */
const next: Readonly<Record<string, string>> = {
  'not-granted': requestHint,
  revoked: `The grant was revoked. ${requestHint}`,
  'not-declared': 'The tool server does not offer it now. Use another tool, or tell the user.',
  'definition-changed': `The tool definition changed since it was approved. ${requestHint}`,
  frozen: 'This lasts until a human lifts the freeze. Say so, and do not try again in this turn.',
  'server-unavailable': 'The tool server does not respond. You can try once more later; tell the user if it keeps failing.',
  timeout: 'The outcome is unknown. Do not repeat it unless doing it twice is harmless.',
  'too-large': 'Request less data at a time.',
  cancelled: 'It was cancelled.',
  busy: 'You can try again in a moment.',
  'upstream-error': 'The tool server failed. Check the arguments before you try again.',
  'input-required-unsupported': 'The tool needs input from a human, which is not supported here. Use another tool, or tell the user.',
  'audit-unwritable': 'Tools cannot be called until the operator frees disk space. Say so.',
}

const refusal = (error: unknown, status: number): Outcome => {
  const code = problemCode(error)
  return failed(`${explain(error, status)}. ${next[code] ?? 'Check the arguments, or tell the user.'}`)
}

const readImage = (value: unknown): { mediaType: string; data: string }[] => {
  const block = fields(value)
  const [mediaType, data] = [text(block['mimeType']), text(block['data'])]
  return block['type'] === 'image' && mediaType !== undefined && data !== undefined ? [{ mediaType, data }] : []
}

const readText = (value: unknown): string[] => {
  const block = fields(value)
  const blockText = text(block['text'])
  if (blockText !== undefined) return [blockText]
  const resource = fields(block['resource'])
  const name = text(resource['uri']) ?? text(block['uri']) ?? text(block['mimeType']) ?? ''
  if (block['type'] === 'image') return []
  return [text(resource['text']) ?? `[${text(block['type']) ?? 'content'} ${name}]`]
}

/** Structured content, unless the text already contains it. */
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
  const shown = content.flatMap(readText).join('\n')
  const all = [...(shown === '' ? [] : [shown]), ...structured(result['structuredContent'], shown)].join('\n')
  if (result['isError'] === true) return failed(all === '' ? 'the tool failed without a reason' : all)
  const images = content.flatMap(readImage)
  return { text: all === '' && images.length === 0 ? 'done; the tool returned no output' : all, images }
}

export const callGranted = async (tools: ToolsClient, name: string, args: unknown): Promise<Outcome> => {
  try {
    return describeResult(await tools.call(name, args))
  } catch (error) {
    if (error instanceof Unanswered)
      return failed(`Outcome unknown: the response of ${name} was lost (${error.message}). Do not repeat it on your own.`)
    throw error
  }
}
