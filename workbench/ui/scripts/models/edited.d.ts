/** What the form of a server shows (`model_servers.js`). */
type EditedServer = Pick<ModelServerLine, "name" | "title" | "url" | "kind" | "key_place" | "key_variable">;
