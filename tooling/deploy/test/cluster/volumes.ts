// Volumes of the node: a class that waits for a pod, and directories of root.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

const group = 'gatehouse-trial'

/** The default of the cluster. */
export const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: group, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
}

const affinity = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }] },
}

/** A `local` volume gets the group of its pod, a `hostPath` does not. */
export const makeVolume = async (directory: string, name: string, kind: 'local' | 'hostPath'): Promise<object> => {
  const path = join(directory, name)
  await mkdir(path, { mode: 0o755 })
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: kind === 'local' ? group : 'by-hand',
      ...(kind === 'local' ? { local: { path }, nodeAffinity: affinity } : { hostPath: { path } }),
    },
  }
}
