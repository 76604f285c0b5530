// The host's programs for disks, or what to install for them.
import { findProgram } from '@gatehouse/kernel'

const install = 'apt-get install e2fsprogs mount util-linux'

/** Their paths by name, or one clause for people. */
export const findPrograms = async <Name extends string>(names: readonly Name[]): Promise<Readonly<Record<Name, string>> | string> => {
  const found = await Promise.all(names.map(async (name) => [name, await findProgram(name)] as const))
  const lacking = found.flatMap(([name, path]) => (path === null ? [name] : []))
  if (lacking.length > 0) return `${lacking.join(', ')} not found: ${install}`
  // Each name has its path by now.
  return Object.fromEntries(found) as Record<Name, string>
}
