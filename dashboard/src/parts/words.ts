// What the parts say by themselves, on every page.

import { inBoth } from '../words/language.tsx'

export const words = inBoth({
  en: {
    optional: 'optional',
    loading: 'Loading',
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    dismiss: 'Dismiss',
    tryAgain: 'Try again',
    newest: 'Newest',
    newer: 'Newer',
    older: 'Older',
    pages: 'Pages of this list',
    filter: 'Filter',
    clearFilters: 'Clear filters',
    asTable: 'Show as a table',
    actions: 'Actions',
    failed: 'This could not be loaded',
    noAnswer: 'The service did not answer. Check your connection, then try again.',
    notAllowed: 'Your role does not allow this. Ask an owner of the account.',
    notFound: 'There is nothing here. It may have been deleted, or the address is wrong.',
    ourFault: 'Something went wrong on the server. Nothing you did caused it.',
    tooMany: (seconds: number | null) =>
      seconds === null ? 'Too many requests. Wait a moment.' : `Too many requests. Try again in ${seconds} s.`,
    page: 'This page broke',
    pageSays: 'Something in this page failed. Loading it again usually helps.',
    reload: 'Load again',
  },
  es: {
    optional: 'opcional',
    loading: 'Cargando',
    cancel: 'Cancelar',
    close: 'Cerrar',
    copy: 'Copiar',
    copied: 'Copiado',
    dismiss: 'Cerrar',
    tryAgain: 'Reintentar',
    newest: 'Lo más reciente',
    newer: 'Más recientes',
    older: 'Anteriores',
    pages: 'Páginas de esta lista',
    filter: 'Filtrar',
    clearFilters: 'Quitar filtros',
    asTable: 'Mostrar como tabla',
    actions: 'Acciones',
    failed: 'No se pudo cargar',
    noAnswer: 'El servicio no respondió. Compruebe su conexión e inténtelo de nuevo.',
    notAllowed: 'Su rol no permite hacer esto. Pídaselo a un propietario de la cuenta.',
    notFound: 'Aquí no hay nada. Puede que se haya eliminado o que la dirección sea incorrecta.',
    ourFault: 'Se produjo un error en el servidor. No se debe a nada que usted haya hecho.',
    tooMany: (seconds: number | null) =>
      seconds === null
        ? 'Demasiadas solicitudes. Espere un momento.'
        : `Demasiadas solicitudes. Inténtelo de nuevo en ${seconds} s.`,
    page: 'Esta página falló',
    pageSays: 'Algo de esta página no funcionó. Volver a cargarla suele resolverlo.',
    reload: 'Cargar de nuevo',
  },
})
