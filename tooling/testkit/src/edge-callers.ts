// What a caller of an edge is answered.
import { isServiceError } from '@gatehouse/contracts'

/** `answered`, or the code of the error; `unknown` for an error without one. */
export const codeOf = async (answer: Promise<unknown> | undefined): Promise<string> => {
  try {
    await answer
    return 'answered'
  } catch (error) {
    return isServiceError(error) ? error.code : 'unknown'
  }
}
