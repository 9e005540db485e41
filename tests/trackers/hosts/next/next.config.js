/** The repository is the root, as the tracker is taken from it. */
import { fileURLToPath } from 'node:url'

export default {
  turbopack: { root: fileURLToPath(new URL('../../../..', import.meta.url)) },
  devIndicators: false,
}
