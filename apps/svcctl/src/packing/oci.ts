// Takes a published image as it is: what it says about itself is the evidence, and its own program is what the entry runs.
import { ServiceError } from '@gatehouse/contracts'
import type { PulledImage } from '@gatehouse/engine'

export interface ImageProgram {
  readonly command: string
  readonly args: readonly string[]
}

/** As `docker run` reads them: an entry point replaces that of the image, arguments replace its command. */
export const programOf = (
  { image, entrypoint, command }: PulledImage,
  { entry, args }: { readonly entry: string | undefined; readonly args: readonly string[] },
): ImageProgram => {
  const tail = args.length > 0 || entry !== undefined ? args : command
  const [program, ...rest] = [...(entry === undefined ? entrypoint : [entry]), ...tail]
  if (program !== undefined) return { command: program, args: rest }
  throw new ServiceError('invalid', {
    detail: `expected an image with a program, ${image} names none`,
    hint: 'name it: --entrypoint PROGRAM',
  })
}

export interface ImageFact {
  readonly name: string
  readonly value: string
}

/** For people, before they decide. */
export const describeImage = ({ image, id, platform, user, entrypoint, command, variables, labels, bytes }: PulledImage): ImageFact[] => [
  { name: 'image', value: image },
  { name: 'id', value: id },
  { name: 'platform', value: platform },
  { name: 'bytes', value: String(bytes) },
  { name: 'user', value: `${user === '' ? 'root' : user}; runs as 65532 here` },
  { name: 'entry point', value: entrypoint.join(' ') || '-' },
  { name: 'command', value: command.join(' ') || '-' },
  { name: 'variables', value: variables.join(', ') || '-' },
  ...Object.entries(labels).map(([name, value]) => ({ name: `label ${name}`, value })),
]
