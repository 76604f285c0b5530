// Hands two accepted sockets to the engine's client as its standard streams: what is said there passes nobody of ours.
import type { Socket } from 'node:net'
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { type Engine, clientEnvironment } from '../container/engine.ts'
import { fixLoginID } from '../login-id.ts'

export interface ToolStreams {
  /** Its stdin and stdout. Never read here. */
  readonly messages: Socket
  /** Its stderr. */
  readonly errors: Socket
}

export interface ToolRun {
  /** Exit code of the client, which is that of the container; null after a signal. Never rejects. */
  readonly exited: Promise<number | null>
  /** Ends the client alone. */
  abandon(): void
}

/** Names that would steer the engine's client itself rather than the server. */
const steering =
  /^(?:PATH|HOME|TMPDIR|LD_.*|GLIBC_.*|GCONV_PATH|LOCPATH|MALLOC_.*|GO[A-Z]+|DOCKER_.*|BUILDKIT_.*|CONTAINERS?_.*|NERDCTL_.*|STORAGE_.*|REGISTRY_.*|PODMAN_.*|LIBPOD_.*|NETAVARK_.*|CNI_.*|DBUS_.*|NOTIFY_SOCKET|LISTEN_.*|XDG_.*|SSL_CERT_.*|OTEL_.*|(?:HTTPS?|ALL|NO|FTP)_PROXY)$/i

/** The first variable that cannot be given to a container, if there is one. */
export const steeringVariable = (names: readonly string[]): string | undefined => names.find((name) => steering.test(name))

export const runTool = (
  { file, args, env }: { file: Engine['file']; args: readonly string[]; env: Readonly<Record<string, string>> },
  { messages, errors }: ToolStreams,
): ToolRun => {
  fixLoginID()
  const child = execa(file, args, {
    stdin: messages,
    stdout: messages,
    stderr: errors,
    buffer: false,
    reject: false,
    extendEnv: false,
    env: { ...env, ...clientEnvironment },
    cwd: '/',
  })
  // The client has them now; here they would keep the other end from seeing its end.
  messages.destroy()
  errors.destroy()
  if (child.pid === undefined) throw new ServiceError('no-sandbox', { detail: `cannot start ${file}` })
  return {
    exited: child.then(
      ({ exitCode }) => exitCode ?? null,
      () => null,
    ),
    abandon: () => void child.kill('SIGKILL'),
  }
}
