// Runs inside a sandbox and uses as much of one resource as possible, so that the host can observe the limit: `load.mjs memory|threads|time|disk`.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** Far more than a probe may use. */
const mostThreads = 48

const block = 8 * 1024 * 1024
/** An upper limit that protects the host where no limit is effective. */
const mostBlocks = 64

const takeMemory = (): void => {
  const held: Buffer[] = []
  const timer = setInterval(() => {
    if (held.push(Buffer.alloc(block, held.length)) >= mostBlocks) clearInterval(timer)
  }, 1)
}

/** Null when no more could be created. */
const startThread = (): Promise<Worker | null> =>
  new Promise((resolve) => {
    try {
      const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true })
      worker.once('online', () => resolve(worker))
      worker.once('error', () => resolve(null))
    } catch {
      resolve(null)
    }
  })

const takeThreads = async (): Promise<void> => {
  let threads = 0
  while (threads < mostThreads && (await startThread()) !== null) threads += 1
  process.stdout.write(`${JSON.stringify({ threads, refused: threads < mostThreads })}\n`)
  setInterval(() => undefined, 1000)
}

/** Milliseconds between two reports of what it got. */
const report = 100

const takeTime = (): never => {
  for (let last = performance.now(); ;) {
    if (performance.now() - last < report) continue
    last = performance.now()
    const { user, system } = process.cpuUsage()
    // At once: nothing else has a turn here.
    writeSync(1, `${JSON.stringify({ processorSeconds: (user + system) / 1e6 })}\n`)
  }
}

const part = Buffer.alloc(1024 * 1024, 1)
/** More than a trial disk has, but not more than a host can spare. */
const mostParts = 48
const mostFiles = 4_000

/** The error code of the first refusal; null without one. */
const takeFiles = (content: Buffer, most: number): string | null => {
  const made: string[] = []
  try {
    for (let count = 0; count < most; count += 1) {
      const path = `/workspace/load-${count}`
      const file = openSync(path, 'wx')
      made.push(path)
      try {
        if (content.length > 0 && writeSync(file, content) < content.length) return 'ENOSPC'
      } finally {
        closeSync(file)
      }
    }
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'an error'
  } finally {
    for (const path of made) rmSync(path, { force: true })
  }
}

const takeDisk = (): void => {
  const bytes = takeFiles(part, mostParts)
  const files = takeFiles(Buffer.alloc(0), mostFiles)
  process.stdout.write(`${JSON.stringify({ bytes, files })}\n`)
}

if (process.argv[2] === 'memory') takeMemory()
else if (process.argv[2] === 'time') takeTime()
else if (process.argv[2] === 'disk') takeDisk()
else await takeThreads()
