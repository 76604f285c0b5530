// The client of a service parses what the service answers: its structure is bounded first.
import { jsonBounds } from '@gatehouse/contracts'
import { checkJson } from '@gatehouse/kernel'

/** Rejects with `JsonRefused`. */
export const boundedAnswer = async (response: Response): Promise<Response> => {
  if (response.body === null) return response
  const bytes = await response.bytes()
  checkJson(bytes, jsonBounds.channelAnswer)
  return new Response(bytes, { status: response.status, headers: response.headers })
}
