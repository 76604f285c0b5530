// Bounds the JSON structure of a service's response before the service's client library parses it.
import { jsonBounds } from '@gatehouse/contracts'
import { checkJson } from '@gatehouse/kernel'

/** Rejects with `JsonRefused`. */
export const boundedAnswer = async (response: Response): Promise<Response> => {
  if (response.body === null) return response
  const bytes = await response.bytes()
  checkJson(bytes, jsonBounds.channelAnswer)
  return new Response(bytes, { status: response.status, headers: response.headers })
}
