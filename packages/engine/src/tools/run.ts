// Runs a tool server in a container. The engine client gets two accepted sockets as its standard streams, so no process of the unit
// reads the messages.
import type { Socket } from 'node:net'
import { ServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { fixLoginID } from '../child-process.ts'
import { clientEnvironment, type Engine } from '../container-client/client.ts'
import type { Mount } from '../driver.ts'

export interface ToolStreams {
  /** Socket for its stdin and stdout. Never read here. */
  readonly messages: Socket
  /** Socket for its stderr. */
  readonly errors: Socket
}

export interface ToolRun {
  /** Exit code of the client, which equals that of the container; null after a signal. Never rejects. */
  readonly exited: Promise<number | null>
  /** Ends only the client. */
  abandon(): void
}

/** Variables that would affect the engine client instead of the server. */
const steering =
  /^(?:PATH|HOME|TMPDIR|LD_.*|GLIBC_.*|GCONV_PATH|LOCPATH|MALLOC_.*|GO[A-Z]+|DOCKER_.*|BUILDKIT_.*|CONTAINERS?_.*|NERDCTL_.*|STORAGE_.*|REGISTRY_.*|PODMAN_.*|LIBPOD_.*|NETAVARK_.*|CNI_.*|DBUS_.*|NOTIFY_SOCKET|LISTEN_.*|XDG_.*|SSL_CERT_.*|OTEL_.*|(?:HTTPS?|ALL|NO|FTP)_PROXY)$/i

/** The first variable that cannot be passed to a container, if there is one. */
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
  // The client has the sockets now; an open copy here would hide the end of the stream from the peer.
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

/** The settings of one tool server in a container. */
export interface ToolOrder {
  readonly name: string
  /** Label by which orphans are found. */
  readonly unitId: string
  /** An id, never a name. */
  readonly image: string
  readonly command: string
  readonly args: readonly string[]
  /** Passed to the container through the environment of the engine client, never through arguments. */
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly Mount[]
  /** Path of the system call filter. */
  readonly profile: string
}
