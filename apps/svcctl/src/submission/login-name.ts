// Who sits at this terminal, as a label: it proves nothing.
import { userInfo } from 'node:os'

/** Users without a name of their own, as in a container, are known by their number. */
export const loginName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
