// Whether a container engine works here: docker first, then podman.
import type { ChooseOptions, Choice } from '../detect.ts'

export const detectContainer = async (_options: ChooseOptions): Promise<Choice> => ({ refused: 'not yet' })
