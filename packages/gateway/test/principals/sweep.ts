// Calls every door of people with everything that has a row, and says what came of it.
import { isServiceError, type Digest } from '@gatehouse/contracts'
import { createGroup, decide, submit, token } from '../fixtures/people.ts'
import { openSession, putServer, server } from '../fixtures/tools.ts'
import { context, type Unit } from '../fixtures/unit.ts'
import { type RowName, rows, type There } from './calls.ts'

type Handler = (params: unknown, context_: unknown) => unknown

/** What a person asks for, by the name of its row. The answer, or the code of the error. */
export const ask = async (unit: Unit, name: RowName, { token: presented, there }: { token: Digest | null; there: There }) => {
  const [call = '', route] = name.split(' ')
  const handler = Reflect.get(unit.gateway.controlPlane, call) as Handler
  const params = { token: presented, ...(route === undefined ? {} : { route }), ...rows[name].params(there) }
  try {
    return { answer: await handler(params, context) }
  } catch (error) {
    if (isServiceError(error)) return { code: error.code }
    throw error
  }
}

/** A group with a change in each state that can be acted upon, and a session. Needs the tool server `sample`. */
export const furnishGroup = async (unit: Unit, id: string): Promise<There> => {
  const applied = (await createGroup(unit, id)).id
  await putServer(unit, `only-${id}`)
  const { id: failed } = await submit(unit, ['mcp_access', id, { server: `only-${id}`, tools: [] }])
  await unit.gateway.controlPlane.removeServer({ token, name: server(`only-${id}`) }, context)
  await decide(unit, [failed, 'approve'])
  const { id: held } = await submit(unit, ['persona', id, { instructions: id }])
  return { group: id, held, applied, failed, session: (await openSession(unit, id)).id }
}
