// Tells whether a master key is the one that a state was made with, without showing anything of it.
import { deriveKey, type Epoch } from '@gatehouse/kernel'

export const keyCheckOf = ({ key, epoch }: Epoch): string => deriveKey(key, 'backup check', epoch).toString('hex')
