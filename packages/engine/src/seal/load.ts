// Runs inside a sandbox and takes as much of one thing as it gets, so that the host can see the limit bite: `load.mjs memory|threads|time`.
import { Worker } from 'node:worker_threads'

/** Far more than a probe is ever allowed. */
const mostThreads = 48

const block = 8 * 1024 * 1024
/** Where nothing stops it, the host must not suffer. */
const mostBlocks = 64

const takeMemory = (): void => {
  const held: Buffer[] = []
  const timer = setInterval(() => {
    if (held.push(Buffer.alloc(block, held.length)) >= mostBlocks) clearInterval(timer)
  }, 1)
}

/** Null when there could not be one more. */
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

const takeTime = (): never => {
  for (;;);
}

if (process.argv[2] === 'memory') takeMemory()
else if (process.argv[2] === 'time') takeTime()
else await takeThreads()
