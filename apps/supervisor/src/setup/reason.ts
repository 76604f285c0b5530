// Why something was not made, in words for a table.
import { isRefusal } from '@gatehouse/kernel'

export const reasonOf = (error: unknown): string => {
  if (isRefusal(error)) return error.hint === undefined ? error.detail : `${error.detail}; try: ${error.hint}`
  return error instanceof Error ? error.message : 'unknown error'
}
