// Looks at the screen of a tmux again and again without a program for each look: one client in its control mode is asked.
import { createInterface } from 'node:readline'
import { execa } from 'execa'

interface Looks {
  readonly screen: () => Promise<string>
  readonly close: () => Promise<void>
}

/** `target`: the words that say which tmux. */
export const openLooks = (target: readonly string[], env: Readonly<Record<string, string>>): Looks => {
  const client = execa('tmux', [...target, '-C', 'attach-session', '-f', 'no-output'], {
    env,
    extendEnv: false,
    reject: false,
    buffer: false,
  })
  const asked: PromiseWithResolvers<string>[] = []
  let answer: string[] | undefined
  createInterface({ input: client.stdout }).on('line', (line) => {
    // The last number says that the answer is to a question of ours.
    if (answer === undefined && /^%begin \d+ \d+ 1$/.test(line)) answer = []
    else if (answer !== undefined && /^%(?:end|error) \d+ \d+ 1$/.test(line)) {
      asked.shift()?.resolve(answer.join('\n'))
      answer = undefined
    } else answer?.push(line)
  })
  const ended = client.then(() => {
    for (const { reject } of asked.splice(0)) reject(new Error('tmux is gone'))
  })
  return {
    screen: () => {
      const question = Promise.withResolvers<string>()
      asked.push(question)
      client.stdin.write('capture-pane -p\n')
      return question.promise
    },
    close: async () => {
      client.stdin.end()
      await ended
    },
  }
}
