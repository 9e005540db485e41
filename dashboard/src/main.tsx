/** Entry of the dashboard. */
import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.layer.css'
import './styles/colours.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/tables.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createQueryClient } from './queries.ts'
import { theme } from './theme.ts'

// Each answer of the server allows the styles that carry its nonce, and no others.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''

// Dialogs keep the page behind them from scrolling by a style of their own, which asks for the nonce by this name.
Object.assign(globalThis, { __webpack_nonce__: nonce })

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={createQueryClient()}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
