// The built-in tool that requests a change or withdraws a request. A pending change is a normal result.
import type { RequestableKind } from '@gatehouse/contracts'
import { explain, fields, text } from '../host/fields.ts'
import { Unanswered } from '../host/request.ts'
import { failed, objectSchema, type Outcome, type OwnTool, type ToolContext } from './own.ts'

const meanings: Readonly<Record<string, string>> = {
  held: 'A human decides, which may take a long time. You will get a message when it is decided. Do not wait or ask again. Tell the user what you requested and why, and continue with what you can do without it.',
  approved: 'It is being applied. You will get a message.',
  applied: 'It is in effect.',
  refused: 'A rule refused it, so it is not pending. Request something else, or tell the user.',
  rejected: 'A human rejected it. Do not request the same again; tell the user, or find another way.',
  expired: 'No one decided in time. Request it again only if the user wants it.',
  withdrawn: 'It is no longer pending. Request it again only if the user wants it.',
}

const describe = (kind: string, status: number, body: unknown): Outcome => {
  const { id, state, failure, reason } = fields(body)
  const [changeID, current] = [text(id), text(state)]
  if (changeID === undefined || current === undefined) {
    return failed(
      `The request for ${kind} failed: ${explain(body, status)}. Do not send the same request again; correct it, or tell the user.`,
    )
  }
  const why = text(fields(failure)['reason']) ?? text(reason)
  return { text: `Change ${changeID} (${kind}) is ${current}${why === undefined ? '' : ` (${why})`}. ${meanings[current] ?? ''}`.trim() }
}

/** Withdraws a request. Retried until there is an answer, because it is idempotent. */
const withdraw = async ({ session }: ToolContext, after: unknown, reason: string): Promise<Outcome> => {
  const changeID = text(fields(after)['id'])
  if (changeID === undefined)
    return failed('Nothing was withdrawn. after must be {"id":"chg_…"} with the id that you got with the request.')
  const { status, body } = await session.withdrawChange(changeID, reason)
  const { id, state } = fields(body)
  if (text(id) === undefined || text(state) === undefined) return failed(`${changeID} was not withdrawn: ${explain(body, status)}.`)
  return { text: `Change ${text(id)} is ${text(state)}. ${meanings[text(state) ?? ''] ?? ''}`.trim() }
}

/** How the model requests each kind. */
const requests: Readonly<Record<RequestableKind, string>> = {
  mcp_access: 'after {"server":…,"tools":[…]} for tools of a tool server.',
  tools: 'after {"enabled":[…]} with all built-in tools to enable.',
  packages: 'after {"npm":["name@version"]}.',
  mounts: 'after {"mounts":[{"source","target","mode"}]}.',
  mcp_register: 'a new tool server.',
}

const sentences = Object.entries(requests).map(([kind, meaning]) => `kind ${kind}: ${meaning}`)

export const requestChange: OwnTool = {
  name: 'request_capability_change',
  description: `Requests a change of your permissions. ${sentences.join(' ')} kind withdraw: after {"id":"chg_…"} withdraws your own pending request. The request is held until a human decides, and you get a message with the decision.`,
  schema: objectSchema({
    kind: { type: 'string', enum: [...Object.keys(requests), 'withdraw'] },
    after: { type: 'object', description: 'the configuration after the change' },
    reason: { type: 'string', minLength: 1, maxLength: 4096, description: 'the reason, for the human who decides' },
  }),
  repeatable: false,
  run: async (args, context) => {
    const [kind, reason] = [text(args['kind']) ?? '', text(args['reason']) ?? '']
    if (kind === 'withdraw') return withdraw(context, args['after'], reason)
    try {
      const { status, body } = await context.session.requestChange({ kind, after: args['after'], reason })
      return describe(kind, status, body)
    } catch (error) {
      if (error instanceof Unanswered)
        return failed(`Outcome unknown: the response to the request for ${kind} was lost (${error.message}). Do not repeat it on your own.`)
      throw error
    }
  },
}
