// An act that takes power away holds at once. Where it is on no disk yet, a header of its answer says so.
import { keptHeader } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import { type Answer, withHeader } from '../openapi/operation.ts'

export const maybeUnkept = (answer: Answer): Answer =>
  withHeader(answer, keptHeader, '`false` where it holds now and is on no disk yet: it ends with the gateway')

/** The answer without that word. */
export const tellKept = <T extends { readonly kept?: false | undefined }>(c: Context<Env>, { kept, ...answer }: T): Omit<T, 'kept'> => {
  if (kept === false) c.header(keptHeader, 'false')
  return answer
}
