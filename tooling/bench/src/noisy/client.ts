// A client that asks without a pause, in a process of its own: eight requests at a time of a list, whatever it is answered. A line
// on stdin begins it or ends it; after each end it says on stdout how often it was answered what. It ends with its input.
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'

const [url = ''] = process.argv.slice(2)
const token = process.env['NOISY_TOKEN'] ?? ''
const atOnce = 8

// It stands for a program on another machine: what its requests cost the unit is measured, and not what it takes of this processor.
setPriority(19)

/** Answers by status. */
type Heard = Record<string, number>

const ask = async (heard: Heard, end: AbortSignal): Promise<void> => {
  while (!end.aborted) {
    const status = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: end }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return String(answer.status)
      },
      () => 'none',
    )
    if (!end.aborted) heard[status] = (heard[status] ?? 0) + 1
  }
}

let hush = async (): Promise<void> => undefined

const begin = (): void => {
  const end = new AbortController()
  const heard: Heard = {}
  const asking = Promise.all(Array.from({ length: atOnce }, () => ask(heard, end.signal).catch(() => undefined)))
  hush = async () => {
    end.abort()
    await asking
    process.stdout.write(`${JSON.stringify(heard)}\n`)
  }
}

for await (const line of createInterface({ input: process.stdin })) await (line === 'begin' ? begin() : hush())
