// The scripted provider as a program.
import { appendFileSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { providers } from './route.ts'
import { type Seen, startProvider } from './server.ts'

const help = `A model provider that says what a script tells it. It needs no key and no network.

  node tooling/scripted-provider/src/main.ts [--port 11435 | --socket PATH] [--script FILE] [--log FILE]

  --port    port of the loopback, default 11435
  --socket  a unix socket instead
  --script  what it answers (the format: tooling/scripted-provider/README.md);
            without one a message such as "say hello" or "call sample__echo {}" is its own script, anything else is echoed
  --log     one JSON line per request

It speaks, behind /<provider>/ or at the path of the real host:
  /anthropic/v1/messages
  /openai/v1/chat/completions, /openai/v1/responses
  /gemini/v1beta/models/<model>:generateContent, :streamGenerateContent
  /openrouter/api/v1/chat/completions, /groq/openai/v1/chat/completions, /mistral/v1/chat/completions
  /compatible/v1/chat/completions
Providers: ${providers.join(', ')}. Any key is taken; a missing one is refused.
`

/** A key that somebody used by mistake is not kept. */
const withoutKeys = (seen: Seen): Seen => {
  const hidden = Object.fromEntries(['authorization', 'x-api-key', 'x-goog-api-key'].map((name) => [name, undefined]))
  return { ...seen, headers: { ...seen.headers, ...hidden } }
}

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      port: { type: 'string', default: '11435' },
      socket: { type: 'string' },
      script: { type: 'string' },
      log: { type: 'string' },
    },
  })
  if (values.help) return void process.stdout.write(help)
  const { log } = values
  const provider = await startProvider({
    listen: values.socket ?? Number(values.port),
    ...(values.script === undefined ? {} : { script: readFileSync(values.script, 'utf8') }),
    ...(log === undefined ? {} : { onRequest: (seen) => appendFileSync(log, `${JSON.stringify(withoutKeys(seen))}\n`, { mode: 0o600 }) }),
  })
  process.stdout.write(`listening on ${provider.address}\n`)
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => void provider.close())
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`)
  process.exitCode = 2
}
