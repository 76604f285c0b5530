// Loads an image of a layout into a container engine of this machine. It gets a tag; its digest is known to registries alone.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { hostArchitecture } from './architecture.ts'
import { blobPath, type MadeLayout } from './oci/layout.ts'

/** The form that every release of the engines reads. Returns the image's id. */
export const loadLayout = async ({ directory, images }: MadeLayout, engine: 'docker' | 'podman', tag: string): Promise<string> => {
  const image = images.find(({ architecture }) => architecture === hostArchitecture())
  if (image === undefined) throw new Error(`expected an image for ${hostArchitecture()} in ${directory}, got none`)
  const blobs = [image.config, ...image.layers].map(blobPath)
  const work = await mkdtemp(join(tmpdir(), 'gatehouse-load-'))
  try {
    const [config, ...layers] = blobs
    await writeFile(join(work, 'manifest.json'), JSON.stringify([{ Config: config, RepoTags: [tag], Layers: layers }]))
    const archive = ['--create', '--file', '-', '-C', work, 'manifest.json', '-C', directory, ...new Set(blobs)]
    await execa('tar', archive, { buffer: false, encoding: 'buffer' }).pipe(engine, ['load'], { stdout: 'ignore' })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const { stdout } = await execa(engine, ['image', 'inspect', '--format', '{{.Id}}', tag])
  return stdout.trim()
}
