import { inBoth } from '../../words/language.tsx'

export const words = inBoth({
  en: {
    title: 'Sign in',
    email: 'Email',
    password: 'Password',
    code: 'Code',
    codeLead: 'Your password is right. Now the six digits that your authenticator shows.',
    codeHint: 'Or one of your recovery codes.',
    signIn: 'Sign in',
    goOn: 'Continue',
    forgot: 'Forgot your password?',
    another: 'Sign in as somebody else',
    wait: (seconds: number) => `Too many tries. You can try again in ${seconds} s.`,
  },
  es: {
    title: 'Iniciar sesión',
    email: 'Correo electrónico',
    password: 'Contraseña',
    code: 'Código',
    codeLead: 'La contraseña es correcta. Ahora escriba los seis dígitos que muestra su autenticador.',
    codeHint: 'O uno de sus códigos de recuperación.',
    signIn: 'Iniciar sesión',
    goOn: 'Continuar',
    forgot: '¿Olvidó su contraseña?',
    another: 'Entrar con otra cuenta',
    wait: (seconds: number) => `Demasiados intentos. Podrá intentarlo de nuevo en ${seconds} s.`,
  },
})
