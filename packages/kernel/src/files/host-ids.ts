// Whether ids are the host's own here, or those of a user namespace, and whom the host knows us as.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** False in a user namespace, where root is nobody of the host's. */
export const hasHostIds = async (): Promise<boolean> => /^\s*0\s+0\s+4294967295\s*$/.test(await readFile('/proc/self/uid_map', 'utf8'))

/** In one namespace after the other only the outermost is the host; ours is the only one that units enter. */
const outside = (id: number, file: 'uid_map' | 'gid_map'): number => {
  for (const line of readFileSync(`/proc/self/${file}`, 'utf8').trim().split('\n')) {
    const [first = 0, host = 0, count = 0] = line.trim().split(/\s+/).map(Number)
    if (id >= first && id < first + count) return host + id - first
  }
  return id
}

/** Our ids as the host has them. */
export const hostIdentity = (): { readonly uid: number; readonly gid: number } => ({
  uid: outside(process.geteuid?.() ?? -1, 'uid_map'),
  gid: outside(process.getegid?.() ?? -1, 'gid_map'),
})
