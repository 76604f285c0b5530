// Where a platform hands over a volume that belongs to root: gives its root to the unit, then becomes the unit, as 65532 for good.
// Never runs anything else as root, and touches nothing below the root of the volume.
import { chmodSync, chownSync, lstatSync } from 'node:fs'

const unit = 65532
const stateDir = process.env.SERVICE_STATE_DIR ?? '/var/lib/gatehouse/state'

const refuse = (why) => {
  process.stderr.write(`own-volume: ${why}\n`)
  process.exit(77)
}

const giveVolume = () => {
  const found = lstatSync(stateDir, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) refuse(`expected the volume at ${stateDir}, got no directory; mount it there`)
  if (found.uid === unit) return
  if (found.uid !== 0) refuse(`expected ${stateDir} to be of root or ${unit}, got ${found.uid}; give it to ${unit} by hand`)
  chmodSync(stateDir, 0o700)
  chownSync(stateDir, unit, unit)
}

const becomeUnit = () => {
  process.setgroups([])
  process.setgid(unit)
  process.setuid(unit)
  const ids = [process.getuid(), process.geteuid(), process.getgid(), process.getegid()]
  if (ids.some((id) => id !== unit)) refuse(`expected to be ${unit}, got ${ids.join(' ')}`)
}

if (process.getuid() === 0) {
  giveVolume()
  becomeUnit()
}
const gatehouse = new URL('gatehouse.mjs', import.meta.url)
process.argv.splice(1, 1, gatehouse.pathname)
await import(gatehouse.href)
