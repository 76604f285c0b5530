// Room for what the unit writes.
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { type Check, fail, noStateDirectory, pass, quoted, warn } from './check.ts'

const mebibyte = 1024 * 1024
const least = 256 * mebibyte

export const disk: Check = {
  name: 'disk',
  run: async ({ stateDir }) => {
    if (stateDir === undefined || !existsSync(stateDir)) return [noStateDirectory]
    const { bavail, bsize, blocks, ffree, files } = await statfs(stateDir)
    const free = bavail * bsize
    const bound = Math.min(least, (blocks * bsize) / 8)
    const look = { advice: `make room; du -xh --max-depth=1 ${quoted(stateDir)} | sort -h says what takes it` }
    const words = `${Math.floor(free / mebibyte)} MiB are free`
    if (free < bound) return [fail(`${words}: call records and queues have stopped`, look)]
    if (files > 0 && ffree < files / 100) return [fail(`${ffree} inodes are free`, look)]
    return [free < bound * 2 ? warn(words, look) : pass(words)]
  },
}
