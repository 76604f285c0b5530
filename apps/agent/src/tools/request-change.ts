// The built-in tool that requests a change, or withdraws the request. That a human must decide first is a normal result.
import type { RequestableKind } from '@gatehouse/contracts'
import { explain, fields, text } from '../host/fields.ts'
import { Unanswered } from '../host/request.ts'
import { failed, objectOf, type Outcome, type OwnTool, type ToolContext } from './own.ts'

const meanings: Readonly<Record<string, string>> = {
  held: 'A human decides, which may take long. You will get a message when it is decided: do not wait, do not ask again. Say what you asked for and why, and go on with what you can do without it.',
  approved: 'It is being applied. You will get a message.',
  applied: 'It is in force.',
  refused: 'It was refused by a rule and will not be held. Ask for something else, or tell the human.',
  rejected: 'A human said no. Do not ask for the same again; tell the human, or find another way.',
  expired: 'Nobody decided in time. Ask again only if the human wants it.',
  withdrawn: 'Nobody decides about it any more. Ask again only if the human wants it.',
}

const describe = (kind: string, status: number, body: unknown): Outcome => {
  const { id, state, failure, reason } = fields(body)
  const [known, now] = [text(id), text(state)]
  if (known === undefined || now === undefined) {
    return failed(
      `The request for ${kind} was not taken: ${explain(body, status)}. Do not send the same again; correct it, or tell the human.`,
    )
  }
  const why = text(fields(failure)['reason']) ?? text(reason)
  return { text: `Change ${known} (${kind}) is ${now}${why === undefined ? '' : ` (${why})`}. ${meanings[now] ?? ''}`.trim() }
}

/** Asked again until there is an answer: twice is as good as once. */
const takeBack = async ({ session }: ToolContext, after: unknown, reason: string): Promise<Outcome> => {
  const wanted = text(fields(after)['id'])
  if (wanted === undefined)
    return failed('Nothing was withdrawn. after: expected {"id":"chg_…"}, the id that you were told when it was held.')
  const { status, body } = await session.withdrawChange(wanted, reason)
  const { id, state } = fields(body)
  if (text(id) === undefined || text(state) === undefined) return failed(`${wanted} was not withdrawn: ${explain(body, status)}.`)
  return { text: `Change ${text(id)} is ${text(state)}. ${meanings[text(state) ?? ''] ?? ''}`.trim() }
}

/** What the model is told of each kind that it may request. */
const requests: Readonly<Record<RequestableKind, string>> = {
  mcp_access: 'after {"server":…,"tools":[…]} for tools of a tool server.',
  tools: 'after {"enabled":[…]} for built-in tools, all that shall be on.',
  packages: 'after {"npm":["name@version"]}.',
  mounts: 'after {"mounts":[{"source","target","mode"}]}.',
  mcp_register: 'a new tool server.',
}

const sentences = Object.entries(requests).map(([kind, meaning]) => `kind ${kind}: ${meaning}`)

export const requestChange: OwnTool = {
  name: 'request_capability_change',
  description: `Asks the human at the gate for a change of what you may do. ${sentences.join(' ')} kind withdraw: after {"id":"chg_…"} takes back a request of yours that is still held. The answer is that it is held: a human decides later, and you are told by a message.`,
  schema: objectOf({
    kind: { type: 'string', enum: [...Object.keys(requests), 'withdraw'] },
    after: { type: 'object', description: 'what shall hold after the change' },
    reason: { type: 'string', minLength: 1, maxLength: 4096, description: 'why, for the human who decides' },
  }),
  repeatable: false,
  run: async (args, context) => {
    const [kind, reason] = [text(args['kind']) ?? '', text(args['reason']) ?? '']
    if (kind === 'withdraw') return takeBack(context, args['after'], reason)
    try {
      const { status, body } = await context.session.requestChange({ kind, after: args['after'], reason })
      return describe(kind, status, body)
    } catch (error) {
      if (error instanceof Unanswered)
        return failed(`Outcome unknown: the answer to the request for ${kind} was lost (${error.message}). Do not repeat it by yourself.`)
      throw error
    }
  },
}
