// Generated from the hub's /openapi.json by `npm run types`.

export interface paths {
    "/api/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the hub's version, the path of its program, and whether the API requires a token */
        get: operations["get-api-about"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List remembered answers, which the hub gives to servers without asking the user again */
        get: operations["get-api-answers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/answers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the values of a remembered answer */
        get: operations["get-api-answers-by-id"];
        put?: never;
        post?: never;
        /** Forget a remembered answer */
        delete: operations["delete-api-answers-by-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List entries of the audit log, newest first */
        get: operations["get-api-audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download entries of the audit log, oldest first, as JSON Lines */
        get: operations["get-api-audit-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether entries of the audit log were changed, moved or removed */
        get: operations["get-api-audit-verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the remote servers, and whether somebody is signed in to each */
        get: operations["list-api-auth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finish a sign-in with the address to which the authorization server has redirected the browser */
        post: operations["post-api-auth-complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/browse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List published servers: with a query, the servers of all sources that match it; without, pages of the official registry */
        get: operations["get-api-browse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List connected MCP clients */
        get: operations["list-api-clients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the settings that apply, and the problems of the settings file */
        get: operations["get-api-config"];
        /** Write one setting to the settings file, whose comments are kept; only a person may do this */
        put: operations["put-api-config"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the settings file again; if the file is invalid, the settings stay as they are */
        post: operations["post-api-config-reload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Append a rule for tools to the settings file, whose comments are kept; only a person may do this */
        post: operations["post-api-config-rules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/rules/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove a rule for tools from the settings file, whose comments are kept; only a person may do this */
        post: operations["post-api-config-rules-remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve how many tokens tools take in each client's context, and how many the hub saves */
        get: operations["get-api-context"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/discovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the number of look-ups in the catalogue of tools, and the last listing of each server's tools */
        get: operations["get-api-discovery"];
        put?: never;
        /** Request the tool lists of one server or of all running servers again; a server that fails does not affect the others */
        post: operations["post-api-discovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/discovery/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the changes of a tool's definition, latest first */
        get: operations["get-api-discovery-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List AI editors, and whether each is registered: whether its configuration has the hub's entry */
        get: operations["get-api-editors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/checkup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check editors for expensive tools and configuration problems */
        get: operations["get-api-editors-checkup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export servers in the configuration format of an editor */
        get: operations["get-api-editors-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/found-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Choose whether find_tool adds the tools that it finds to the tool lists of an editor's sessions */
        put: operations["put-api-editors-found-tools"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List changes that were made to editors' files */
        get: operations["get-api-editors-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/history/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete the backups of changes to editors' files; these changes can then no longer be undone */
        post: operations["post-api-editors-history-forget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import servers from editors, a pasted configuration or a bundle */
        post: operations["post-api-editors-import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview changes to editors' files */
        post: operations["post-api-editors-plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add the hub's entry to editors, or repair it */
        post: operations["post-api-editors-register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/reviewed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark the editors of this machine as reviewed by the user, so that they no longer count as new */
        post: operations["post-api-editors-reviewed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List servers in a pasted configuration or in a bundle */
        post: operations["post-api-editors-scan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List servers that are configured in editors and can be imported */
        get: operations["get-api-editors-servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Choose whether editors that are detected later are registered automatically */
        put: operations["put-api-editors-settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo changes to editors' files */
        post: operations["post-api-editors-undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/editors/unregister": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the hub's entry from editors */
        post: operations["post-api-editors-unregister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/elicitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List unanswered questions of servers */
        get: operations["get-api-elicitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/elicitations/{id}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer a question of a server */
        post: operations["post-api-elicitations-by-id-respond"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Export servers, toolsets, personas, approvals of calls, learned queries and settings; secrets only for a person, and encrypted */
        post: operations["post-api-export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/export/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import an export. What exists already is kept, unless the request says otherwise. Without a person, only servers are added, which wait for approval */
        post: operations["post-api-export-import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find tools as find_tool does for an agent, with the reasons for each score; starts no server and changes no tool list */
        post: operations["post-api-find"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether each approved server works */
        post: operations["post-api-health"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import servers, secrets, saved arguments and statistics from a database of agent-discover 1.4 or earlier */
        post: operations["post-api-import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/learned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tools that rank higher because they were called after similar queries */
        get: operations["get-api-learned"];
        /** Turn learning on or off; learned tools are kept */
        put: operations["put-api-learned"];
        post?: never;
        /** Delete all learned tools */
        delete: operations["delete-api-learned"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/learned/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete one learned tool */
        delete: operations["delete-api-learned-by-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List calls and other events, newest first */
        get: operations["get-api-logs"];
        put?: never;
        post?: never;
        /** Delete all log entries; statistics and learned tools are kept */
        delete: operations["delete-api-logs"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download all log entries that match the filters */
        get: operations["get-api-logs-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logs/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the latest notifications of servers */
        get: operations["get-api-logs-notifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logs/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the latest progress reports of servers */
        get: operations["get-api-logs-progress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a server of the marketplace with its README */
        get: operations["get-api-market-details"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Describe what npx or uvx would download */
        post: operations["post-api-market-download"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install a server according to its plan */
        post: operations["post-api-market-install"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List running installations and the last ones that have ended */
        get: operations["get-api-market-jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the progress of an installation */
        get: operations["get-api-market-jobs-by-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an installation and undo its changes */
        post: operations["post-api-market-jobs-by-id-cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/jobs/{id}/lines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the last lines that the programs of an installation have printed */
        get: operations["get-api-market-jobs-by-id-lines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/mirror": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the state of the hub's copy of the official registry */
        get: operations["get-api-market-mirror"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make the plan of an installation; nothing is downloaded */
        post: operations["post-api-market-plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Download the bundle or the container image that the hub must read before it can complete the plan */
        post: operations["post-api-market-prepare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the programs that servers need, with the commands that install missing ones */
        get: operations["get-api-market-programs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/programs/{name}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install a program that servers need, with the package manager of this machine */
        post: operations["post-api-market-programs-by-name-install"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search all sources of servers */
        get: operations["get-api-market-search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List well-known servers and all categories; this works without network access */
        get: operations["get-api-market-start"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refresh the hub's copy of the official registry in the background */
        post: operations["post-api-market-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List installed servers with the current and newest versions that the last check found */
        get: operations["get-api-market-updates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/updates/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check now which installed servers have a newer version */
        post: operations["post-api-market-updates-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/updates/{server}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the last comparison of a server's current version with its newest one */
        get: operations["get-api-market-updates-by-server"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/updates/{server}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Update a server to its newest version */
        post: operations["post-api-market-updates-by-server-apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/updates/{server}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run the newest version of a server beside the current one, and compare their tools */
        post: operations["post-api-market-updates-by-server-compare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/updates/{server}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Return a server to its previous version */
        post: operations["post-api-market-updates-by-server-rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve call statistics of each server */
        get: operations["list-api-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the numbers of calls and errors over time */
        get: operations["get-api-metrics-series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tools with the most calls, the most errors or the longest durations */
        get: operations["list-api-metrics-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/npm-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether an npm package exists */
        get: operations["get-api-npm-check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve what the last setup of this machine did */
        get: operations["get-api-onboarding"];
        put?: never;
        /** Set up this machine: add the hub's entry to editors, and import their servers */
        post: operations["post-api-onboarding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/onboarding/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a setup: the editors that would get the hub's entry, and the servers that would be imported from them */
        post: operations["post-api-onboarding-plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/onboarding/starts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve how far the first starts of the servers are that the last setup imported */
        get: operations["get-api-onboarding-starts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/onboarding/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo the last setup: restore the files of editors, and remove the imported servers */
        post: operations["post-api-onboarding-undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop all servers, and start none until the pause ends */
        post: operations["post-api-pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the personas in the folder of personas, and the active ones */
        get: operations["get-api-personas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personas/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add the servers and toolsets of a persona; its servers wait for approval */
        post: operations["post-api-personas-activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personas/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read a persona and report its problems */
        post: operations["post-api-personas-inspect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personas/{name}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the servers and toolsets that the activation of a persona has added */
        post: operations["post-api-personas-by-name-deactivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prereqs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the programs that servers need, and whether each is installed */
        get: operations["get-api-prereqs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List saved arguments */
        get: operations["get-api-presets"];
        put?: never;
        /** Save arguments of a tool or a prompt */
        post: operations["post-api-presets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/presets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete saved arguments */
        delete: operations["delete-api-presets-by-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the folder in which agents may save files of long results */
        get: operations["get-api-results"];
        /** Choose the folder in which agents may save files of long results; only a person may do this */
        put: operations["put-api-results"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the pause: allow servers to start again */
        post: operations["post-api-resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/roots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the MCP roots that servers get */
        get: operations["get-api-roots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Show which tools an additional rule would enable, disable or tag, without applying the rule */
        post: operations["post-api-rules-try"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the status of the search by meaning */
        get: operations["get-api-search-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the status of the vault and the names of all secrets */
        get: operations["get-api-secrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets/migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move credentials from server configurations to the vault */
        post: operations["post-api-secrets-migrate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unlock the encrypted file of secrets, or create it */
        post: operations["post-api-secrets-unlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List servers */
        get: operations["list-api-servers"];
        put?: never;
        /** Add a server */
        post: operations["post-api-servers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether new servers can have these names */
        post: operations["post-api-servers-names"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/parse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Parse server configurations in a text, including credentials, without adding the servers */
        post: operations["post-api-servers-parse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a server and its tools */
        get: operations["get-api-servers-by-id"];
        /** Update a server */
        put: operations["put-api-servers-by-id"];
        post?: never;
        /** Delete a server */
        delete: operations["delete-api-servers-by-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Activate a server: add its tools to every client's list */
        post: operations["post-api-servers-by-id-activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a proposed server, which allows it to start */
        post: operations["post-api-servers-by-id-approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show whether somebody is signed in to a server */
        get: operations["get-api-servers-by-id-auth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to sign in to a server */
        post: operations["post-api-servers-by-id-auth-login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out of a server and revoke its tokens */
        post: operations["post-api-servers-by-id-auth-logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Call a tool */
        post: operations["post-api-servers-by-id-call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retrieve the code with which a program can approve a proposed server */
        post: operations["post-api-servers-by-id-code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask a server to complete an argument of a prompt or a variable of a resource template */
        post: operations["post-api-servers-by-id-complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deactivate a server: remove its tools from the lists of all clients */
        post: operations["post-api-servers-by-id-deactivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable a server: stop it, and do not start it or show it to agents until it is enabled */
        post: operations["post-api-servers-by-id-disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe what npx or uvx would download */
        get: operations["get-api-servers-by-id-download"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enable a server that was disabled */
        post: operations["post-api-servers-by-id-enable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export a server's configuration in the format of a client */
        get: operations["get-api-servers-by-id-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether a server works */
        post: operations["post-api-servers-by-id-health"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve what a server reports about itself */
        get: operations["get-api-servers-by-id-info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the secrets that a server may use although they belong to other servers */
        get: operations["list-api-servers-by-id-links"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/links/{owner}/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Allow the server to use a secret of another server */
        put: operations["put-api-servers-by-id-links-by-owner-by-key"];
        post?: never;
        /** Revoke the permission to use a secret of another server */
        delete: operations["delete-api-servers-by-id-links-by-owner-by-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/logging-level": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the level of a server's log notifications */
        post: operations["post-api-servers-by-id-logging-level"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List recorded JSON-RPC messages between the hub and a server */
        get: operations["get-api-servers-by-id-messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve call statistics of the tools of a server */
        get: operations["list-api-servers-by-id-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/missing-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the missing secrets that the server needs to start */
        get: operations["list-api-servers-by-id-missing-secrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the last lines that a server wrote to standard error */
        get: operations["get-api-servers-by-id-output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ping a server */
        post: operations["post-api-servers-by-id-ping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/preinstall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Download the package that npx or uvx will run */
        post: operations["post-api-servers-by-id-preinstall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/prompt/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a prompt */
        post: operations["post-api-servers-by-id-prompt-get"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for a page of its prompts */
        get: operations["list-api-servers-by-id-prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a server and list its tools again */
        post: operations["post-api-servers-by-id-refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rename a server: its approvals, secrets, toolsets, rules and records then belong to the new name */
        post: operations["post-api-servers-by-id-rename"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send any JSON-RPC request to a server */
        post: operations["post-api-servers-by-id-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/reset-errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reset the error count of a server */
        post: operations["post-api-servers-by-id-reset-errors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/resource-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for a page of its resource templates */
        get: operations["list-api-servers-by-id-resource-templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/resource/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read a resource */
        post: operations["post-api-servers-by-id-resource-read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/resource/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Subscribe to changes of a resource */
        post: operations["post-api-servers-by-id-resource-subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/resource/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unsubscribe from changes of a resource */
        post: operations["post-api-servers-by-id-resource-unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for a page of its resources */
        get: operations["list-api-servers-by-id-resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a server and start it again */
        post: operations["post-api-servers-by-id-restart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/roots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the MCP roots that a server gets */
        get: operations["get-api-servers-by-id-roots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the level at which a server is confined, and the accesses that it is granted */
        put: operations["put-api-servers-by-id-sandbox"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/sandbox/denied": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Clear the list of accesses that a server was denied */
        delete: operations["delete-api-servers-by-id-sandbox-denied"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the secrets of a server, with masked values */
        get: operations["list-api-servers-by-id-secrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/secrets/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set a secret */
        put: operations["put-api-servers-by-id-secrets-by-key"];
        post?: never;
        /** Delete a secret */
        delete: operations["delete-api-servers-by-id-secrets-by-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a server */
        post: operations["post-api-servers-by-id-start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a server; the next call starts it again */
        post: operations["post-api-servers-by-id-stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for its tools */
        get: operations["list-api-servers-by-id-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange the ticket of a page for the token of a new session */
        post: operations["post-api-session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a challenge, which a page signs to resume its session */
        post: operations["post-api-session-challenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session whose token the request contains */
        post: operations["post-api-session-end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange a signed challenge for the token of a new session */
        post: operations["post-api-session-resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the servers whose tools are in every client's list, with these tools */
        get: operations["get-api-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop the hub */
        post: operations["post-api-stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add the servers of a setup file; they wait for approval, unless it is the configured file or a person sends the request */
        post: operations["post-api-sync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sync/folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The folder through which this machine and others of the user are kept the same */
        get: operations["get-api-sync-folder"];
        /** Synchronize with a folder from now on. Nothing is synchronized yet */
        put: operations["put-api-sync-folder"];
        /** Merge the changes of this machine and of the folder. What changes this machine needs a person, and otherwise waits */
        post: operations["post-api-sync-folder"];
        /** Stop synchronizing. The folder and this machine keep what they have */
        delete: operations["delete-api-sync-folder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a ticket that opens one page or one WebSocket */
        post: operations["post-api-tickets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens of MCP clients */
        get: operations["list-api-tokens"];
        put?: never;
        /** Create a token for an MCP client that connects over HTTP */
        post: operations["post-api-tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke the token of an MCP client */
        delete: operations["delete-api-tokens-by-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tool-approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tools of which a person has approved all calls */
        get: operations["list-api-tool-approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tool-approvals/{server}/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke the approval of all calls of a tool: the hub asks again before each call */
        delete: operations["delete-api-tool-approvals-by-server-by-tool"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List known tools, also those of stopped servers */
        get: operations["list-api-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the tool that a name refers to */
        get: operations["get-api-tools-resolve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a tool with its definition, its statistics and the clients that use it */
        get: operations["get-api-tools-by-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List toolsets with the states of their tools, and the toolset that each client has equipped */
        get: operations["get-api-toolsets"];
        put?: never;
        /** Create a toolset; its tools are pinned to their current definitions */
        post: operations["post-api-toolsets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a toolset from an exported file */
        post: operations["post-api-toolsets-import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/unequip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unequip a client, so that it uses no toolset */
        post: operations["post-api-toolsets-unequip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve a toolset */
        get: operations["get-api-toolsets-by-name"];
        /** Replace the description, tools and notes of a toolset; tools that are already in the toolset keep their pins */
        put: operations["put-api-toolsets-by-name"];
        post?: never;
        /** Delete a toolset and revoke the tokens of clients that are shown only this toolset */
        delete: operations["delete-api-toolsets-by-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/{name}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a toolset that an agent has built */
        post: operations["post-api-toolsets-by-name-approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/{name}/equip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Equip a client with a toolset: the client lists the toolset's tools in place of those of always listed servers */
        post: operations["post-api-toolsets-by-name-equip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/{name}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export a toolset as a file, without the definitions of its tools */
        get: operations["list-api-toolsets-by-name-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/{name}/note": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the note of a tool, and discard the note that an agent has proposed for the tool */
        post: operations["post-api-toolsets-by-name-note"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/toolsets/{name}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept the current definitions of tools that have changed */
        post: operations["post-api-toolsets-by-name-pin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a transient server */
        post: operations["post-api-transient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Stop a transient server */
        delete: operations["delete-api-transient-by-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Call a tool */
        post: operations["post-api-transient-by-id-call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask a server to complete an argument of a prompt or a variable of a resource template */
        post: operations["post-api-transient-by-id-complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export a server's configuration in the format of a client */
        get: operations["get-api-transient-by-id-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve what a server reports about itself */
        get: operations["get-api-transient-by-id-info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/logging-level": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the level of a server's log notifications */
        post: operations["post-api-transient-by-id-logging-level"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List recorded JSON-RPC messages between the hub and a server */
        get: operations["get-api-transient-by-id-messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the last lines that a server wrote to standard error */
        get: operations["get-api-transient-by-id-output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ping a server */
        post: operations["post-api-transient-by-id-ping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/prompt/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a prompt */
        post: operations["post-api-transient-by-id-prompt-get"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for a page of its prompts */
        get: operations["list-api-transient-by-id-prompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send any JSON-RPC request to a server */
        post: operations["post-api-transient-by-id-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/resource-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for a page of its resource templates */
        get: operations["list-api-transient-by-id-resource-templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/resource/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read a resource */
        post: operations["post-api-transient-by-id-resource-read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/resource/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Subscribe to changes of a resource */
        post: operations["post-api-transient-by-id-resource-subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/resource/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Unsubscribe from changes of a resource */
        post: operations["post-api-transient-by-id-resource-unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for a page of its resources */
        get: operations["list-api-transient-by-id-resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/roots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the MCP roots that a server gets */
        get: operations["get-api-transient-by-id-roots"];
        /** Replace the MCP roots of a transient server and notify the server */
        put: operations["put-api-transient-by-id-roots"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/transient/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a server for its tools */
        get: operations["list-api-transient-by-id-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List held tools, prompts, resources and instructions, which need a person's decision */
        get: operations["get-api-trust"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/items/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve an item with its latest and approved definitions, their differences and the findings of the scan */
        get: operations["get-api-trust-items-by-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/items/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve the definition of an item */
        post: operations["post-api-trust-items-by-id-approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/items/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reject the definition of an item */
        post: operations["post-api-trust-items-by-id-reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the results that are kept back, so that a person can read them */
        get: operations["list-api-trust-results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/results/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Discard a result that is kept back */
        delete: operations["delete-api-trust-results-by-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/results/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Release a result that is kept back: the next call with the same arguments gets it */
        post: operations["post-api-trust-results-by-id-release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust/servers/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve the launch of a server, and those of its held items in which the scan finds nothing */
        post: operations["post-api-trust-servers-by-id-approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the hub is running */
        get: operations["get-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hello": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the hub's proof that it knows its token */
        get: operations["get-hello"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActivatePersonaFields: {
            /** @description Identifier of the editor to equip with the persona's default toolset; empty for all clients without a toolset of their own, missing for none. */
            client?: string;
            /** @description Hash of the persona that the person has reviewed. If the persona has changed since, nothing is activated. */
            hash?: string;
            /** @description Absolute path of a folder or zip archive, or the name of a persona in the folder of personas. */
            path: string;
        } & {
            [key: string]: unknown;
        };
        Activation: {
            /** @description Outcome: activated, already_active, deactivated, not_active, refreshed, started, restarted, stopped, enabled, already_enabled, disabled or already_disabled. */
            status: string;
            /**
             * Format: int64
             * @description Number of tools that the server listed.
             */
            tool_count?: number;
        };
        ActivePersona: {
            /** Format: date-time */
            at: string;
            name: string;
            path: string;
            servers: components["schemas"]["AddedServer"][];
            toolsets: string[];
            version: string;
        };
        ActiveServer: {
            name: string;
            /** Format: int64 */
            tool_count: number;
            /** @description Names of the known tools. */
            tools: string[] | null;
        };
        AddedServer: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        AnswerFields: {
            /** @enum {string} */
            action: "accept" | "decline" | "cancel";
            /** @description Object with the answer, only for the action accept. For the mode form, an object that matches requestedSchema; for sampling, an object with text and optionally model. */
            content?: unknown;
            /**
             * @description How long the hub remembers the answer and gives it without asking again; missing for not at all. session: until the client whose call caused the question disconnects, or the hub stops. always: until the answer is deleted, or the server's configuration changes. Accepted values of a form answer only the same question; decline answers every question of the same mode. An approval applies to further calls of the tool until its definition changes. Only a person may have an answer remembered, in the dashboard or a terminal.
             * @enum {string}
             */
            remember?: "session" | "always";
        } & {
            [key: string]: unknown;
        };
        AnswerValues: {
            /** @description Object with the values of the form; empty for an answer without values. */
            values: unknown;
        };
        ApplyFields: {
            /** @description Answers to the inputs that only the newest version asks for. By default, the answers given when the comparison with this hash was made, which are kept for an hour. */
            answers?: {
                [key: string]: string[] | null;
            };
            /** @description The hash of the comparison that the person has reviewed. If the comparison would have another hash now, the server is not updated. */
            hash: string;
        } & {
            [key: string]: unknown;
        };
        ApprovalFields: {
            /** @description The code that the tray and the dashboard show for this server. It is needed unless the request has the token of a session. */
            code?: string;
            /** @description The launch_hash of the configuration that the person has reviewed. The request fails if the configuration has changed since. */
            launch_hash?: string;
            /**
             * @description Treatment of the tools and other items in the first lists of the server. clean: items in which the scan finds nothing are approved together with the server. wait (the default): all items are held until a person approves them.
             * @enum {string}
             */
            tools?: "clean" | "wait";
        } & {
            [key: string]: unknown;
        };
        ApproveToolsetFields: {
            /** @description Hash of the toolset that the person has reviewed. */
            hash: string;
        } & {
            [key: string]: unknown;
        };
        Assessment: {
            /** @description The abilities of the server once it is started, as a sentence. */
            consequence: string;
            /** @description The places in the configuration that the warnings are about, in the order of the warnings. */
            marks: components["schemas"]["Mark"][];
            /** @description Suspicious properties of the configuration, as sentences, worst first. */
            warnings: string[];
        };
        AuditEntry: {
            /** @description SHA-256 of the arguments as the client sent them. */
            arguments_sha256?: string;
            /**
             * Format: date-time
             * @description When the request began.
             */
            at: string;
            /** @description Name that the client sent when it connected. It is not verified. */
            client?: string;
            /** @description Why the request failed or was refused: a kind of error, or the code of the server's JSON-RPC error. */
            code?: string;
            /**
             * Format: int64
             * @description In an entry of kind retention or lost, number of entries that were deleted because of their age or could not be stored.
             */
            count?: number;
            /**
             * Format: int64
             * @description Duration in microseconds.
             */
            duration_us: number;
            /** @description Identifier of the editor whose entry or token the client uses. */
            editor?: string;
            /** @description SHA-256 of the entry without this member. */
            hash: string;
            /** @description Kind of the entry. A request: call, resource-read or prompt-get. A decision about a server's definition of a tool or another item: trust. A note about the log itself: retention, lost or break. */
            kind: string;
            note?: string;
            outcome?: string;
            /** @description SHA-256 of the previous entry; empty for the first one. */
            previous: string;
            /** @description How the tool was called: tools/call (as a listed tool), the name of the hub's own tool that made the call, or rest (through the REST API). */
            road?: string;
            /**
             * Format: int64
             * @description Position in the chain, from 1.
             */
            seq: number;
            server?: string;
            session?: string;
            /** @description In an entry of kind retention, the position and hash of the last deleted entry. */
            through?: components["schemas"]["Head"];
            /** @description Identifier and name of the token with which the client connected. */
            token?: string;
            /** @description Name of the tool or the prompt, or URI of the resource. */
            tool?: string;
        };
        AuditList: {
            entries: components["schemas"]["AuditEntry"][];
        };
        BrowseReply: {
            /** @description Sources that could not be searched, as SOURCE: REASON. */
            missing?: string[] | null;
            next_cursor: string | null;
            servers: components["schemas"]["PublishedServer"][];
        };
        CallFields: {
            /** @description Object with the arguments of the tool, as its input schema describes them. */
            args?: unknown;
            /** @description Whether to ask the server to run the call as a task. The response is then an object with the member task; request the result with the method tasks/result. With MCP 2026-07-28, the server decides whether to run a task; if it does, the response is an object with resultType task and taskId, and the method tasks/get returns the result. */
            task?: boolean;
            /** @description Name of the tool. */
            tool: string;
        } & {
            [key: string]: unknown;
        };
        CallPoint: {
            /** @description Start of the step, in RFC 3339. */
            at: string;
            /**
             * Format: int64
             * @description Number of calls, refused ones included.
             */
            calls: number;
            /**
             * Format: int64
             * @description Number of calls with an outcome other than ok.
             */
            errors: number;
        };
        CallReply: {
            /** @description If the tool failed and the arguments of the call violate its input schema, how they do, for people. The wording may change. */
            arguments_error?: string;
            /** @description Content blocks of the result: objects with the member type and, for the type text, the member text. */
            content?: {
                [key: string]: unknown;
            }[];
            /** @description If the server has no tool of the given name, the similar names of other tools. */
            did_you_mean?: string[];
            /** @description Whether the tool failed. */
            isError?: boolean;
            /** @description The result as an object, if the tool has an output schema. */
            structuredContent?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        CallSeries: {
            /** @description One point for each step, oldest first, including steps without calls. */
            points: components["schemas"]["CallPoint"][];
            /** @description Start of the first step, in RFC 3339. */
            since: string;
            /**
             * Format: int64
             * @description Length of a step, in seconds.
             */
            step: number;
            /** @description End of the last step, in RFC 3339. */
            until: string;
        };
        ChallengeFields: {
            /** @description Public identifier of the session. */
            session: string;
        } & {
            [key: string]: unknown;
        };
        ChallengeView: {
            /** @description The challenge to sign. It can be used once, within 30 seconds. */
            challenge: string;
            /** @description Identifier of the running hub process, which changes with each start of the hub. */
            instance: string;
        };
        Change: {
            after?: string;
            /** @description The value before the change: a text as it is, any other value as JSON. Invisible characters are shown as U+XXXX. */
            before?: string;
            /** @description JSON pointer to the member that has changed. */
            field: string;
            /** @enum {string} */
            kind: "text" | "added" | "removed" | "required" | "type" | "enum" | "default" | "annotation" | "other";
            /** @description For a change of a text, the parts of the text, each unchanged, removed or added. Invisible characters are shown as U+XXXX. */
            parts?: components["schemas"]["Part"][] | null;
            /** @description The change as a sentence. */
            words: string;
        };
        ChangedFields: {
            /** @description Label of the account that the server uses, if the same server is configured for several accounts. */
            account?: string;
            /** @description Arguments of the command. */
            args?: string[] | null;
            /** @description How long a call may have neither an answer nor progress, such as 5m. If it is empty, limits.call_timeout applies. */
            call_timeout?: string;
            /** @description Program that starts a stdio server. */
            command?: string;
            /** @description Working folder of a stdio server: an absolute path, or one that begins with ~/ or a reference to a variable, such as ${env:NAME}. If it is empty, the server starts in the home folder. A confined server must be allowed to read the folder. */
            cwd?: string;
            description?: string;
            /** @description Environment variables of the server's process. */
            env?: {
                [key: string]: string;
            };
            /** @description HTTP headers to send to a remote server with each request. */
            headers?: {
                [key: string]: string;
            };
            /** @description URL of a remote server. */
            homepage?: string;
            /**
             * @description Whether all clients share one process or connection (shared, the default), or each session of a client has its own (session).
             * @enum {string}
             */
            isolation?: "shared" | "session";
            /** @description Whether to start the server with the hub and not stop it when idle. */
            keep_running?: boolean;
            /** @description The launch_hash of the configuration that the person has reviewed. The request fails if the configuration has changed since. */
            launch_hash?: string;
            /** @description How long the server may be silent while it starts, such as 5m. A start goes on while the server writes to standard error, up to ten times as long. If it is empty, limits.start_timeout applies. */
            start_timeout?: string;
            tags?: string[] | null;
            /** @description stdio, streamable-http or sse. It is ignored for a server that has a command and no homepage. If it is missing for a new server, the default is stdio for a server that has a command or no homepage, sse if the path of homepage ends in /sse, and otherwise streamable-http. */
            transport?: string;
        } & {
            [key: string]: unknown;
        };
        CheckReply: {
            /** @description Why the server is unhealthy. */
            error?: string;
            /**
             * Format: int64
             * @description Duration of the check, in milliseconds.
             */
            latency_ms: number;
            /** @description healthy or unhealthy. */
            status: string;
        };
        ChecksReply: {
            servers: components["schemas"]["NamedCheck"][] | null;
        };
        Choice: {
            label: string;
            surface: string;
            /** @description What the surface shows, for people. The wording may change. */
            text: string;
        };
        Client: {
            /** Format: int64 */
            calls_in_flight: number;
            name: string;
            /** @description File in the client's project that names a toolset. */
            project_file?: string;
            /** @description Why project_file names no toolset. */
            project_problem?: string;
            /** @description Toolset that project_file names. If it differs from the member toolset, the named toolset does not exist or waits for approval, or the client's configuration entry shows something else. */
            project_toolset?: string;
            session: string;
            /** @description Toolset to whose tools the client is limited; missing if there is none. */
            toolset?: string;
            version: string;
        };
        ClientContext: {
            connected: boolean;
            /** @description When the client first connected, in RFC 3339. */
            first_seen: string;
            /** @description When the client was last connected, in RFC 3339; the current time for a connected client. */
            last_seen: string;
            /**
             * Format: int64
             * @description Number of tokens of the tools in the client's list: the hub's own tool, tools of always listed servers, and tools that the client found.
             */
            listed_tokens: number;
            /** @description Name that the client sent when it connected, at most 100 characters. It is not verified. */
            name: string;
            /**
             * Format: int64
             * @description whole_tokens minus listed_tokens. It is negative when the tools of all servers take fewer tokens than the client's list.
             */
            saved_tokens: number;
            /**
             * Format: double
             * @description listed_tokens as a fraction of the member window of the response.
             */
            share: number;
            version: string;
            /**
             * Format: int64
             * @description Number of tokens that the definitions of all tools would take at the start of a conversation if all servers were configured in the client. If the client loads definitions only on demand, number of tokens of the tools' names.
             */
            whole_tokens: number;
        };
        ClientToken: {
            /** @description Identifier of the AI editor that uses the token; empty if unknown. */
            client: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the token was last used, to the minute; missing if it was never used.
             */
            last_used_at?: string;
            name: string;
            /** @description Surface of the client: registry, meta, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset. */
            surface: string;
        };
        CodeView: {
            /** @description The code. It can be used once, to approve the current configuration of the server. */
            code: string;
            /** Format: date-time */
            expires_at: string;
        };
        CompareFields: {
            /** @description Answers to the inputs that only the newest version asks for. */
            answers?: {
                [key: string]: string[] | null;
            };
            /** @description The hash of the comparison that the person has reviewed. Without this hash, the newest version is not run if it is started in another way than the current one, so the tools are not compared. */
            hash?: string;
            /**
             * Format: int64
             * @description Largest number of calls to repeat; 20 by default, at most 200.
             */
            limit?: number;
            /** @description Whether to repeat recorded calls with the newest version. Unless tools names others, only tools that both versions declare to be read-only are called. */
            replay?: boolean;
            /** @description Names of further tools whose recorded calls are repeated although not both versions declare them to be read-only. Only a person may send these names. */
            tools?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        CompleteFields: {
            /** @description Name of the argument or variable. */
            argument: string;
            /** @description Object with the values of the other arguments or variables, as strings. */
            arguments?: unknown;
            /** @description Name of the prompt that has the argument. */
            prompt?: string;
            /** @description Instead of prompt, URI template that has the variable. */
            template?: string;
            /** @description Beginning of the value, as entered so far. */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        CompletionReply: {
            /** @description Whether there are more values than those in the list. */
            hasMore?: boolean;
            /**
             * Format: int64
             * @description Number of all values, including those that are not in the list, if the server reports it.
             */
            total?: number;
            /** @description Suggested values, best first; MCP allows at most 100. */
            values: string[];
        } & {
            [key: string]: unknown;
        };
        ConfigFields: {
            /** @description Key of the setting, such as limits.call_timeout. */
            key: string;
            /** @description Text, number, true or false. Settings whose value is a list can only be edited in the file. */
            value: unknown;
        } & {
            [key: string]: unknown;
        };
        ConfigProblem: {
            /**
             * Format: int64
             * @description Column in the file, from 1; 0 if the setting does not come from the file.
             */
            column: number;
            /** @description Key of the setting that has the problem; may be empty. */
            key: string;
            /**
             * Format: int64
             * @description Line in the file, from 1; 0 if the setting does not come from the file.
             */
            line: number;
            /** @description What is wrong, for people. The wording may change. */
            message: string;
        };
        Configuration: {
            /** @description Path of the settings file, which need not exist. */
            file: string;
            /** @description Problems of the current content of the file. If there are any, the settings are those of an earlier version of the file. */
            problems: components["schemas"]["ConfigProblem"][];
            /** @description Keys of settings that have changed in the file, but whose new values the hub uses only after a restart. */
            restart: string[];
            /** @description All settings: first those that can only be edited in the file, then the others by group, in the order in which the settings page shows the groups. */
            settings: components["schemas"]["Setting"][];
        };
        Connection: {
            /**
             * Format: int64
             * @description Number of calls in flight.
             */
            in_flight: number;
            /**
             * Format: int64
             * @description Process ID; left out for a remote server.
             */
            pid?: number;
            /** @description Version of MCP that the hub and the server have negotiated. */
            protocolVersion: string;
        };
        ContentsReply: {
            /** @description The contents: objects with uri, and text or blob. */
            contents: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        ContextCost: {
            /** @description MCP clients, the most recently seen first. */
            clients: components["schemas"]["ClientContext"][];
            /**
             * Format: int64
             * @description Number of tokens of the definition of the hub's own tool.
             */
            entry_tokens: number;
            /**
             * Format: int64
             * @description whole_tokens minus the tokens of the tools that every client lists.
             */
            saved_tokens: number;
            /** @description Approved servers with tools, sorted by name. */
            servers: components["schemas"]["ServerContext"][];
            /**
             * Format: int64
             * @description Number of known tools of approved servers.
             */
            tools: number;
            /**
             * Format: int64
             * @description Number of tokens of the definitions of all known tools of approved servers, for a client that loads all definitions at the start.
             */
            whole_tokens: number;
            /**
             * Format: int64
             * @description Size of a model's context window, in tokens. Each share is a fraction of it.
             */
            window: number;
        };
        Correction: {
            /** @description Descriptions of the corrected and removed members of the item, or the reasons why the whole item is left out. */
            changes: string[] | null;
            /** @enum {string} */
            kind: "tool" | "prompt" | "resource" | "resource template";
            /** @description Whether the whole item is left out of the lists for clients. */
            left_out: boolean;
            /** @description Name of a tool or a prompt, or URI of a resource or a template; empty if the item has none. */
            name: string;
        };
        DeniedAccess: {
            /** @enum {string} */
            access: "read" | "write" | "network";
            /** Format: int64 */
            count: number;
            /** @description The entry to add to grants so that this access is allowed. Left out for secrets, which should not be granted. */
            grant?: string;
            /** @description Time of the last attempt. */
            last: string;
            /** @description The line in which the server reported the denial. */
            line: string;
            /** @description The path or host that the server tried to access; empty if the server did not name it. */
            target: string;
        };
        DiscoveryReply: {
            servers: components["schemas"]["ServerListing"][];
        };
        DiscoveryState: {
            /**
             * Format: double
             * @description hits as a fraction of all look-ups; 0 if there were none.
             */
            hit_rate: number;
            /**
             * Format: int64
             * @description Number of look-ups since the hub started for which the catalogue had the tool, or the tools of the server.
             */
            hits: number;
            /**
             * Format: int64
             * @description Number of look-ups since the hub started for which it did not, so that the server was asked or an error returned.
             */
            misses: number;
            /** @description The last listing of each server whose tools were requested since the hub started, sorted by server. */
            servers: components["schemas"]["ServerListing"][];
            /**
             * Format: int64
             * @description Number of known tools.
             */
            tools: number;
        };
        Done: {
            /** @description Whether the operation had an effect. */
            ok: boolean;
        };
        Download: {
            /** @description Facts about the packages, as sentences for people. */
            facts: string[] | null;
            /**
             * Format: int64
             * @description How many packages are left out of packages, because there are too many.
             */
            omitted: number;
            /** @description The packages: first those that the command line names, then the others. */
            packages: components["schemas"]["DownloadPackage"][] | null;
            /**
             * @description nothing (npx and uvx download nothing for this server), found (the packages are known) or unknown (warnings say why the packages are not known).
             * @enum {string}
             */
            status: "nothing" | "found" | "unknown";
            /** @description Reasons for caution before approving the server, as sentences, worst first. */
            warnings: string[] | null;
        };
        DownloadPackage: {
            /** @description These scripts, if they are known. */
            commands?: string[] | null;
            /** @description The source of the package, unless it is a package registry. */
            from?: string;
            /** @description The name under which other packages look for it. */
            name: string;
            /** @description Its name in the package registry, if that is another one. */
            package?: string;
            /** @description When this version was published, if that is known. */
            published_at?: string;
            /** @description It runs scripts when it is installed. */
            scripts: boolean;
            version: string;
        };
        Drift: {
            description?: components["schemas"]["Part"][] | null;
            hash: string;
            hints?: components["schemas"]["Part"][] | null;
            known: boolean;
            other?: components["schemas"]["Part"][] | null;
            output?: components["schemas"]["Part"][] | null;
            schema?: components["schemas"]["Part"][] | null;
            title?: components["schemas"]["Part"][] | null;
        };
        EditorDoctorCost: {
            /** Format: int64 */
            deferred: number;
            /** Format: int64 */
            directly: number;
            editor: string;
            /** Format: int64 */
            known: number;
            name: string;
            /** Format: int64 */
            saved: number;
            /** Format: int64 */
            servers: number;
            /** Format: double */
            share: number;
            /** Format: int64 */
            through: number;
            /** Format: int64 */
            today: number;
            /** Format: int64 */
            tools: number;
        };
        EditorDoctorFinding: {
            advice: string;
            editors: string[] | null;
            kind: string;
            level: string;
            subject: string;
            text: string;
        };
        EditorDoctorReport: {
            costs: components["schemas"]["EditorDoctorCost"][] | null;
            findings: components["schemas"]["EditorDoctorFinding"][] | null;
        };
        EditorEntry: {
            args: string[];
            command: string;
            env?: {
                [key: string]: string;
            };
            name: string;
            /** @description The entry as a JSON object with the member mcpServers, the format that most clients accept, to paste into the configuration of a client that is not in the list. */
            text: string;
        };
        EditorFields: {
            /** @description For register, whether to select all detected editors that can be registered; for unregister, whether to select all editors that have the hub's entry. */
            all?: boolean;
            /** @description Identifiers of editors. */
            editors?: string[] | null;
            /** @description Environment variables of the client that change where editors keep their files. */
            environment?: {
                [key: string]: string;
            };
            /** @description Maps the path of each previewed plan to the plan's field difference or before. A file is not written if neither field of its plan has the given value any more. */
            expect?: {
                [key: string]: string;
            };
            /** @description For register, the full path of the program that the entries start, if it is another copy of agent-discover than that of the hub, such as that of the caller. */
            program?: string;
            /** @description Folder of a project whose configuration files are changed instead of those of the user. */
            project?: string;
            /** @description Whether to replace an entry that has the hub's name but starts another program. */
            replace?: boolean;
            /** @description For register, the surface of the entries: meta, registry, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset. By default, existing entries keep their surface, and new ones get meta. */
            surface?: string;
        } & {
            [key: string]: unknown;
        };
        EditorFileStatus: {
            also?: string[] | null;
            command?: string;
            exists: boolean;
            outdated?: boolean;
            path: string;
            problem?: string;
            snippet?: string;
            state: string;
            surface?: string;
        };
        EditorHistory: {
            /** @description The changes, newest first. */
            changes: components["schemas"]["EditorRecord"][];
            /**
             * Format: int64
             * @description Number of backups, made by earlier versions of the hub, that contain credentials in plain text, because there is no key with which to encrypt them.
             */
            unsealed?: number;
        };
        EditorImportCandidate: {
            command: string;
            here: string;
            id: string;
            /** @description The program or URL of the server. */
            launch: components["schemas"]["EditorImportLaunch"];
            name: string;
            problem: string;
            /** @description The risk of starting the server. */
            risk: components["schemas"]["Assessment"];
            secrets: string[];
            sources: components["schemas"]["EditorImportSource"][];
            warnings: string[];
        };
        EditorImportChoice: {
            id: string;
            name?: string;
        };
        EditorImportCredential: {
            /** @description Proposed name of the secret. An environment variable or header of this name gets the value of the secret even if the configuration has no reference to it. */
            name: string;
            /** @description Value of the credential: the part of the text at the place named by where. A reference to the secret replaces it. */
            value: string;
            /** @description Place of the credential: env.NAME, args[3], headers.NAME or url; empty for a secret of a setup file. */
            where: string;
        };
        EditorImportExported: {
            editor: string;
            format: string;
            left: string[];
            path: string;
            text: string;
        };
        EditorImportLaunch: {
            args: string[];
            command: string;
            cwd?: string;
            env: {
                [key: string]: string;
            };
            headers: {
                [key: string]: string;
            };
            url: string;
        };
        EditorImportParsed: {
            args: string[];
            /** @description The server's own limit for calls, such as 5m; empty for that of the settings. */
            call_timeout: string;
            command: string;
            /** @description Working folder of a local server; empty for the home folder. */
            cwd: string;
            description: string;
            /** @description Whether the text marks the server as disabled. */
            disabled: boolean;
            env: {
                [key: string]: string;
            };
            /** @description Name of the configured server that matches this one, with the same command or URL; empty if none does. */
            existing: string;
            headers: {
                [key: string]: string;
            };
            /** @description The program or URL of the server. */
            launch: components["schemas"]["EditorImportLaunch"];
            /** @description Placeholders in the configuration that an editor would replace by values. */
            missing: components["schemas"]["EditorImportPlaceholder"][];
            /** @description Proposed name: valid, not taken, and different from the names of the other servers in the response. */
            name: string;
            /** @description Remarks for the user before the server is added, as sentences. */
            notes: string[];
            /** @description Why the server cannot be added; empty when it can. */
            problem: string;
            /** @description The risk of starting the server. */
            risk: components["schemas"]["Assessment"];
            /** @description Credentials in the configuration, which could be moved to the vault. */
            secrets: components["schemas"]["EditorImportCredential"][];
            /** @description The server's own limit for its start, such as 5m; empty for that of the settings. */
            start_timeout: string;
            tags: string[];
            /** @description Command line or URL on one line, with credentials redacted. */
            target: string;
            /** @description stdio, streamable-http or sse. */
            transport: string;
            url: string;
        };
        EditorImportPlaceholder: {
            /** @description Reference to the secret, to write into the configuration in place of the placeholder; empty if the value is not a credential. */
            reference: string;
            /** @description Proposed name of a secret for the value of the placeholder; empty if the value is not a credential. */
            secret: string;
            /** @description The placeholder, such as ${input:key}. */
            text: string;
            /** @description Place of the placeholder: command, env.NAME, args[3], headers.NAME or url. */
            where: string;
        };
        EditorImportProblem: {
            editor: string;
            error: string;
            path: string;
        };
        EditorImportQuestion: {
            default: string;
            description: string;
            key: string;
            kind: string;
            multiple: boolean;
            required: boolean;
            secret: boolean;
            title: string;
        };
        EditorImportRemoval: {
            change?: string;
            editor: string;
            entries: string[];
            path: string;
            problem?: string;
            servers: string[];
        };
        EditorImportReport: {
            dry_run?: boolean;
            servers: components["schemas"]["EditorImportResult"][];
            taken: components["schemas"]["EditorImportRemoval"][];
        };
        EditorImportResult: {
            disabled?: boolean;
            id: string;
            kept: string[];
            /** @description The program or URL of the server. */
            launch: components["schemas"]["EditorImportLaunch"];
            moved: string[];
            name: string;
            problem?: string;
            /** @description The risk of starting the server. */
            risk: components["schemas"]["Assessment"];
            status: string;
            waiting?: boolean;
            warnings: string[];
        };
        EditorImportScan: {
            candidates: components["schemas"]["EditorImportCandidate"][];
            problems: components["schemas"]["EditorImportProblem"][];
        };
        EditorImportSource: {
            can_take: boolean;
            disabled: boolean;
            editor: string;
            entry: string;
            name: string;
            path: string;
        };
        EditorList: {
            /** @description Whether editors that are detected later are registered automatically. */
            auto_register: boolean;
            editors: components["schemas"]["EditorStatus"][];
            /** @description The entry that the hub adds to the configuration of editors. */
            entry: components["schemas"]["EditorEntry"];
            /** @description For each editor that has the hub's entry, the surface of the entry and the possible ones. */
            shown: components["schemas"]["EditorShown"][];
            /** @description The surfaces that an entry or a token may have, except those of one server or toolset. The first surface is the default of new entries. */
            surfaces: components["schemas"]["Choice"][];
        };
        EditorOutcome: {
            change?: string;
            editor: string;
            path: string;
            problem?: string;
            reload?: string;
            review?: boolean;
            shared?: string[] | null;
            snippet?: string;
            status: string;
            undone?: string;
        };
        EditorPlan: {
            action: string;
            before: string;
            change?: string;
            diff: components["schemas"]["Line"][];
            difference: string;
            editor: string;
            hint?: string;
            nothing: boolean;
            path: string;
            problem?: string;
            shared?: string[] | null;
            snippet?: string;
            target?: string;
            wait: boolean;
            writer?: string;
        };
        EditorPlanFields: {
            /** @enum {string} */
            action: "register" | "unregister" | "undo";
            /** @description For register, whether to select all detected editors that can be registered; for unregister, whether to select all editors that have the hub's entry. */
            all?: boolean;
            /** @description For undo: identifiers of changes from the history. */
            changes?: string[] | null;
            /** @description Identifiers of editors. */
            editors?: string[] | null;
            /** @description Environment variables of the client that change where editors keep their files. */
            environment?: {
                [key: string]: string;
            };
            /** @description Maps the path of each previewed plan to the plan's field difference or before. A file is not written if neither field of its plan has the given value any more. */
            expect?: {
                [key: string]: string;
            };
            /** @description For register, the full path of the program that the entries start, if it is another copy of agent-discover than that of the hub, such as that of the caller. */
            program?: string;
            /** @description Folder of a project whose configuration files are changed instead of those of the user. */
            project?: string;
            /** @description Whether to replace an entry that has the hub's name but starts another program. */
            replace?: boolean;
            /** @description For register, the surface of the entries: meta, registry, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset. By default, existing entries keep their surface, and new ones get meta. */
            surface?: string;
        } & {
            [key: string]: unknown;
        };
        EditorRecord: {
            action: string;
            /** Format: date-time */
            at: string;
            by: string;
            editor: string;
            entries: string[];
            exact: boolean;
            forgotten?: boolean;
            id: string;
            name: string;
            path: string;
            possible: boolean;
            shared?: string[] | null;
            undoes?: string;
            undone: boolean;
            why?: string;
        };
        EditorSettings: {
            auto_register: boolean;
        };
        EditorSettingsFields: {
            /** @description Whether to register editors that are detected later. */
            auto_register: boolean;
        } & {
            [key: string]: unknown;
        };
        EditorShown: {
            /** @description Whether find_tool adds the tools that it finds to the tool list of the session. It never does in sessions that use MCP 2026-07-28. */
            adds_found: boolean;
            editor: string;
            /** @description Surface of the entry. */
            surface: string;
            /** @description The current surface of the entry, then the other surfaces that are not limited to one server or toolset, each with its numbers of tools and tokens. */
            surfaces: components["schemas"]["SurfaceTools"][];
        };
        EditorStatus: {
            detected: boolean;
            evidence: string[];
            files: components["schemas"]["EditorFileStatus"][];
            id: string;
            importable: boolean;
            list_changed: string;
            managed: string[];
            /** Format: int64 */
            max_name: number;
            /** Format: int64 */
            max_tools: number;
            name: string;
            needs_reload: boolean;
            new: boolean;
            note?: string;
            registrable: boolean;
            reload: string;
            reload_hint: string;
            running: boolean;
            state: string;
            verified: boolean;
        };
        EditorUndoFields: {
            /** @description Whether to undo all changes that have not been undone yet. */
            all?: boolean;
            /** @description Identifiers of changes from the history. */
            changes?: string[] | null;
            /** @description Maps the identifier of each change to the field difference of its previewed plan. A change is not undone if its plan has another difference now. */
            expect?: {
                [key: string]: string;
            };
        } & {
            [key: string]: unknown;
        };
        Elicitation: {
            /** @description Name of the MCP client whose call caused the question; missing if it is not known or the call came over REST. */
            client?: string;
            /**
             * Format: int64
             * @description When the server asked, in milliseconds since 1970 UTC.
             */
            createdAt: number;
            /**
             * Format: int64
             * @description When the question expires and the server is told that nobody has answered, in milliseconds since 1970 UTC.
             */
            expiresAt: number;
            /** @description Unique identifier of the question. */
            id: string;
            /** @description The question. */
            message: string;
            /**
             * @description form: the server asks for values. url: the server asks the user to open a web page. sampling: the server asks for a message from a model, and the user writes it. approval: the hub asks whether a client may call a tool of the server; only a person can accept.
             * @enum {string}
             */
            mode: "form" | "url" | "sampling" | "approval";
            /** @description For the mode sampling, object with the parameters of sampling/createMessage: messages, systemPrompt, maxTokens and more. For approval, object with the members tool and arguments. */
            request?: unknown;
            /** @description JSON schema of the answer's content, for the mode form. */
            requestedSchema: unknown;
            serverName: string;
            /** @description URL of the web page, as the server sent it. Check it before you open it. */
            url?: string;
        };
        EntryList: {
            entries: components["schemas"]["LogEntry"][] | null;
        };
        EquipFields: {
            /** @description The client: the identifier of an editor, or token:ID with the identifier of a token. If missing, all clients without a toolset of their own. */
            client?: string;
        } & {
            [key: string]: unknown;
        };
        ExchangeFields: {
            /** @description Public key of a key pair that the page keeps in memory: an uncompressed P-256 point in hexadecimal. With it, an open page resumes its session after a restart of the hub on the same port. */
            page_key?: string;
            /** @description Public key of a key pair that the page keeps in the browser's storage, in the format of page_key. With it, a reloaded page resumes its session until the hub stops. */
            reload_key?: string;
            /** @description An unused ticket for a page, at most 30 seconds old. */
            ticket: string;
        } & {
            [key: string]: unknown;
        };
        Export: {
            /** @description Tools of which a person has approved all calls. */
            approvals: components["schemas"]["ExportedApproval"][];
            /** Format: date-time */
            created: string;
            /** @description Equipped toolsets by client; an empty client is any that has not chosen one itself. */
            equipped?: {
                [key: string]: string;
            };
            /** @description Always agent-discover-export. */
            format: string;
            /** @description Which tools agents have called after which queries. */
            learned: components["schemas"]["ExportedPair"][];
            /** @description The parts that the export lacks, as sentences. */
            left_out: string[];
            /** @description Whether a person has turned learning from calls off. */
            no_learning?: boolean;
            personas: components["schemas"]["ExportedPersona"][];
            /** @description Version of Agent Discover that has written the export. */
            program: string;
            /** @description Secrets and the whole settings file, encrypted with a passphrase (age, armored). */
            sealed?: string;
            servers: components["schemas"]["ExportedServer"][];
            /** @description The settings file, with its comments and rules, and without fixed arguments of tools. */
            settings?: string;
            /** @description Operating system of the machine: linux, darwin or windows. */
            system: string;
            /** @description Toolsets in the format of toolset export. */
            toolsets: unknown[];
            /**
             * Format: int64
             * @description Version of the format.
             */
            version: number;
        };
        ExportFields: {
            /** @description Passphrase with which secrets are encrypted; without it, they are left out. */
            passphrase?: string;
        } & {
            [key: string]: unknown;
        };
        ExportReply: {
            /** @description Configuration in the requested format, with references in place of secrets. */
            config: unknown;
            format: string;
        };
        ExportedApproval: {
            /** Format: date-time */
            at: string;
            /** @description Hash of the approved definition and of the launch of the server. */
            hash: string;
            server: string;
            tool: string;
        };
        ExportedPair: {
            /** Format: int64 */
            failed?: number;
            /** Format: date-time */
            last: string;
            query: string;
            server: string;
            /** Format: int64 */
            times: number;
            tool: string;
        };
        ExportedPersona: {
            /** @description Missing if the persona is not active. */
            active?: components["schemas"]["ActivePersona"];
            /** @description Contents of persona.yaml and mcp.json. */
            files?: {
                [key: string]: string;
            };
            name: string;
        };
        ExportedServer: {
            account?: string;
            always_listed?: boolean;
            approved: boolean;
            args?: string[] | null;
            command?: string;
            deferred?: boolean;
            description?: string;
            dir?: string;
            disabled?: boolean;
            env?: {
                [key: string]: string;
            };
            grants?: components["schemas"]["Grants"];
            headers?: {
                [key: string]: string;
            };
            isolation?: string;
            keep_running?: boolean;
            name: string;
            package?: components["schemas"]["Package"];
            proposed_by?: string;
            repository?: string;
            sandbox?: string;
            /** @description Names of its secrets. */
            secrets?: string[] | null;
            source?: string;
            tags?: string[] | null;
            timeouts?: components["schemas"]["Timeouts"];
            transport?: string;
            url?: string;
        };
        ExportedToolset: {
            /** @enum {string} */
            format: "agent-discover-toolset";
            name: string;
            /** Format: int64 */
            version: number;
        } & {
            [key: string]: unknown;
        };
        Failure: {
            /**
             * @description The kind of error, for programs. ambiguous_tool: several servers have a tool of that name. approval_code_required: the approval needs the one-time code that the tray and the dashboard show. approval_code_wrong: the one-time code is wrong or has expired. approval_required: the configuration requires a person's approval of the call. confirmation_required: the scan blocks the item, so that approving it needs a confirmation. credential_blocked: the arguments contain a credential. hub_stopping: the hub is stopping and has not carried out the request, which can be sent to the next hub. missing_program: the installation needs a program; the plan says how to get it. not_listed: the server does not list the tool, prompt or resource. person_required: only a person may do this. question_unseen: the server asked a person something, and nobody could see the question. result_kept: the result is kept back until a person releases it. secret_unstorable: credentials of the configuration cannot be stored as secrets now. server_disabled: a person has disabled the server. server_stopped: the server is neither always listed nor running; start it first. server_unapproved: the server waits for a person's approval. sign_in_required: a person must sign in to the server. too_large: a document or the request exceeds its limit. tool_disabled: the configuration forbids the call. tool_drifted: a tool of the toolset has changed since a person accepted it. tool_held: the definition of the tool, prompt or resource waits for a person's approval. unknown_tool: no server has a tool of that name. up_to_date: no other version exists to compare with. More codes may be added.
             * @enum {string}
             */
            code: "ambiguous_tool" | "approval_code_required" | "approval_code_wrong" | "approval_required" | "busy" | "confirmation_required" | "conflict" | "credential_blocked" | "denied" | "failed" | "hub_stopping" | "internal" | "invalid" | "invalid_request" | "missing_program" | "not_found" | "not_listed" | "person_required" | "question_unseen" | "result_kept" | "secret_unstorable" | "server_disabled" | "server_stopped" | "server_unapproved" | "sign_in_required" | "timeout" | "too_large" | "tool_disabled" | "tool_drifted" | "tool_held" | "unauthorized" | "unavailable" | "unknown_tool" | "up_to_date";
            /** @description If the request names something that does not exist, existing names that may be meant. */
            did_you_mean?: string[];
            /** @description The failure and its remedy, for people. The wording may change. */
            error: string;
            /** @description If a server did not start because an environment variable is missing, the name of this variable. */
            missing_variable?: string;
        };
        FindFields: {
            /**
             * Format: double
             * @description Maximum number of hits, up to 50; 5 by default.
             */
            limit?: number;
            /** @description Task for the tool in plain words, best in English: a verb and its object. */
            query: string;
        } & {
            [key: string]: unknown;
        };
        FindHit: {
            /**
             * Format: int64
             * @description Position of the tool in a ranking by words alone, from 1; 0 if the tool contains no word of the query.
             */
            by_words: number;
            /** @description Name under which agents call the tool. */
            call_as: string;
            description: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool.
             */
            id: number;
            /** Format: double */
            score: number;
            server: string;
            title: string;
            tool: string;
            /** @description The contributions to the score, largest first. */
            why: components["schemas"]["FindMatch"][];
        };
        FindMatch: {
            /** @description name, server, title, description, parameters, meaning, learned (the tool was called after a similar query) or mention (the query contains the tool's name). More may be added. */
            field: string;
            /**
             * Format: double
             * @description Contribution to the score. The points of a hit add up to its score.
             */
            points: number;
            /** @description Matching words of the query, in the singular and in lower case; for learned, the words of the earlier query. */
            terms: string[];
        };
        FindReply: {
            /** @description When no tool was found, the tools with the highest scores, at most three, although they probably do not fit the query. */
            closest: components["schemas"]["FindHit"][];
            /** @enum {string} */
            confidence: "high" | "medium" | "low" | "none";
            /** @description Whether any tool was found, that is, has a score that is high enough. */
            found: boolean;
            /** @description Advice for the agent when nothing was found. */
            hint?: string;
            /** @description The tools that were found, best first. */
            hits: components["schemas"]["FindHit"][];
            /**
             * Format: double
             * @description Duration of the search, in milliseconds.
             */
            ms: number;
            /** @description English words that the search added to a query in another language. */
            read_as?: string[];
            /** @description Object that find_tool would return to an agent. */
            reply: unknown;
            /**
             * Format: double
             * @description Score of the best hit or, when no tool was found, of the first tool in closest.
             */
            score: number;
            /**
             * Format: int64
             * @description Number of tokens that the reply takes in an agent's context (o200k_base).
             */
            tokens: number;
        };
        Finding: {
            /** Format: int64 */
            end: number;
            /** @description JSON pointer to the text of the definition that contains the evidence. */
            field: string;
            /** Format: double */
            points: number;
            /** @description Why the evidence is suspicious, in one sentence. */
            reason: string;
            /** @description Name of the rule of the scan. */
            rule: string;
            /**
             * Format: int64
             * @description Offset in bytes of the evidence in the text that field points to.
             */
            start: number;
            /** @description The suspicious part of the text that field points to. Invisible characters are shown as U+XXXX. */
            text: string;
            /**
             * @description Verdict of the scan if this were the only finding.
             * @enum {string}
             */
            verdict: "none" | "note" | "warn" | "block";
        };
        ForgetFields: {
            /** @description Whether to delete the backups of all changes. */
            all?: boolean;
            /** @description Identifiers of changes from the history. */
            changes?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        Forgotten: {
            /**
             * Format: int64
             * @description How many backups were deleted.
             */
            deleted: number;
        };
        FoundTools: {
            add: boolean;
            editor: string;
        };
        FoundToolsFields: {
            /** @description Whether find_tool adds the tools that it finds to the tool list of the session. Each addition invalidates the prompt cache of the model. */
            add: boolean;
            /** @description Identifier of an editor. */
            editor: string;
        } & {
            [key: string]: unknown;
        };
        Gap: {
            /**
             * Format: date-time
             * @description When the hub noted it.
             */
            at: string;
            /**
             * Format: int64
             * @description Number of missing entries; 0 if it is unknown.
             */
            count?: number;
            note?: string;
            /**
             * Format: int64
             * @description Position of the entry that notes the gap.
             */
            seq: number;
        };
        Grants: {
            network?: string[] | null;
            read?: string[] | null;
            write?: string[] | null;
        };
        Head: {
            hash: string;
            /** Format: int64 */
            seq: number;
        };
        Health: {
            /** @description Always ok. */
            status: string;
            /**
             * Format: int64
             * @description Seconds since the hub started.
             */
            uptime: number;
            version: string;
        };
        Hello: {
            /** @description Whether requests need no token. */
            auth_off?: boolean;
            nonce: string;
            proof: string;
            /** Format: int64 */
            protocol: number;
            /** @description HMAC-SHA-256 in hexadecimal, with the session's proof_key as its key. The message consists of the lines agent-discover, session, 127.0.0.1:PORT, the nonce of the request and the nonce of this response. */
            session_proof?: string;
            version: string;
        };
        HistoryReply: {
            /** @description The changes, latest first, at most 50. */
            changes: components["schemas"]["ToolChange"][];
        };
        HubAbout: {
            /** @description Whether this API requires no token, because AGENT_DISCOVER_AUTH is off. */
            auth_off: boolean;
            /** @description Path of the program that editors start with the argument mcp; empty when the file does not exist. */
            program: string;
            /** @description Why the hub does not listen on its configured port; missing if it does. */
            taken_port?: components["schemas"]["TakenPort"];
            version: string;
        };
        ImportExportFields: {
            /**
             * @description How to import objects whose names exist already and mean something else: skip (the default), rename (add under a new name) or replace (only for a person).
             * @enum {string}
             */
            conflicts?: "skip" | "rename" | "replace";
            /** @description Whether to import nothing and only return what would be imported. */
            dry_run?: boolean;
            /** @description Hash that a dry run has returned. If the file has changed since, nothing is imported. */
            hash?: string;
            /** @description Passphrase of the secrets in the export; without it, they are not imported. */
            passphrase?: string;
            /** @description Absolute path of the export. It is not changed. */
            path: string;
        } & {
            [key: string]: unknown;
        };
        ImportFields: {
            /** @description Whether to import nothing and only return what would be imported. */
            dry_run?: boolean;
            /** @description Absolute path of the database. It is not changed. */
            path: string;
            /** @description Maps names of servers in the database to their new names. */
            rename?: {
                [key: string]: string;
            };
        } & {
            [key: string]: unknown;
        };
        ImportReport: {
            dry_run: boolean;
            problems: string[] | null;
            servers: components["schemas"]["ImportedServer"][] | null;
            totals: components["schemas"]["ImportTotals"];
        };
        ImportToolsetFields: {
            /** @description Content of the exported file. */
            file: string;
            /** @description Name of the toolset; the name in the file by default. */
            name?: string;
        } & {
            [key: string]: unknown;
        };
        ImportTotals: {
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            imported: number;
            /** Format: int64 */
            metrics: number;
            /** Format: int64 */
            presets: number;
            /** Format: int64 */
            secrets: number;
            /** Format: int64 */
            skipped: number;
            /** Format: int64 */
            tools: number;
        };
        ImportedExport: {
            dry_run: boolean;
            /** @description SHA-256 of the file. Send it with the import, so that nothing is imported if the file has changed. */
            hash: string;
            items: components["schemas"]["ImportedItem"][];
            /** @description Whether the file contains secrets, which a passphrase opens. */
            sealed: boolean;
        };
        ImportedItem: {
            /**
             * @description The change made, or, in a dry run, the change that would be made. same: it exists already and is the same.
             * @enum {string}
             */
            action: "add" | "replace" | "same" | "skip" | "failed";
            /** @description New name, if the name exists already and conflicts is rename. */
            as?: string;
            /** @enum {string} */
            kind: "server" | "toolset" | "persona" | "equipped" | "approvals" | "learned" | "learning" | "settings";
            /** @description Name in the export. */
            name?: string;
            /** @description Steps for a person, and remarks, as sentences. */
            notes?: string[] | null;
            /** @description The command that a start of the server would run; only in a dry run. */
            runs?: components["schemas"]["Runs"];
            /** @description Level of the sandbox of the server. */
            sandbox?: string;
            /** @description Whether the added server waits for approval. */
            waiting_for_approval?: boolean;
            /** @description Why it was skipped or failed. */
            why?: string;
        };
        ImportedServer: {
            as?: string;
            /** Format: int64 */
            metrics: number;
            name: string;
            /** Format: int64 */
            presets: number;
            problems?: string[] | null;
            proposed_name?: string;
            reason?: string;
            runs?: components["schemas"]["Runs"];
            /** Format: int64 */
            secrets: number;
            status: string;
            /** Format: int64 */
            tools: number;
            waiting_for_approval?: boolean;
        };
        IncludedServer: {
            /** @description Name of the server in mcp.json. */
            entry: string;
            /** @description Whether a configured server with the same command or URL is used, so that no server is added. */
            existing: boolean;
            /** @description Name that the server gets when it is added or, if existing is true, name of the configured server that is used in its place. */
            name: string;
            /** @description Command line or URL, with credentials redacted. */
            target: string;
        };
        IncludedToolset: {
            description?: string;
            name: string;
            /** @description The tools, as SERVER.TOOL. SERVER is the name of a server in mcp.json or of a configured server. */
            tools: string[];
        };
        InstallFields: {
            /** @description The hash of the plan that the person has reviewed. The installation fails if the plan has changed since. */
            hash: string;
            /** @description Server to install, with the answers to its questions. */
            request: components["schemas"]["MarketChoice"];
        } & {
            [key: string]: unknown;
        };
        InstallProgress: {
            /** Format: int64 */
            bytes?: number;
            code?: string;
            /** Format: int64 */
            elapsed_ms: number;
            error?: string;
            id: string;
            kind: string;
            listing?: string;
            questions?: boolean;
            server: string;
            sign_in?: boolean;
            /** Format: date-time */
            started: string;
            state: string;
            step: string;
            /** Format: int64 */
            step_elapsed_ms: number;
            /** Format: int64 */
            tools?: number;
            /** Format: int64 */
            total?: number;
            variable?: string;
            waiting_for_approval?: boolean;
        };
        IntakeFields: {
            /** @description Absolute path of an .mcpb or .dxt file to import from, instead of the editors. */
            bundle?: string;
            /** @description Whether to import nothing and only return what would be imported. */
            dry_run?: boolean;
            /** @description Whether credentials may stay in the configuration in plain text if they cannot be stored as secrets. By default, servers with such credentials are not imported. */
            plain_text?: boolean;
            /** @description Servers to import; by default all that are not configured in the hub. */
            servers?: components["schemas"]["EditorImportChoice"][] | null;
            /** @description Whether to remove the entries of imported servers from the editors afterwards. */
            take_out?: boolean;
            /** @description Pasted configuration to import from, instead of the editors. */
            text?: string;
            /** @description Answers to the bundle's questions, by key. */
            values?: {
                [key: string]: string;
            };
        } & {
            [key: string]: unknown;
        };
        KeptResult: {
            /** @description When the result was kept back, in UTC (RFC 3339). */
            at: string;
            client?: string;
            /** @description Texts in the result that look like instructions to the agent, most suspicious first. Empty if the result was kept back because of a credential, or if the request was not sent by a person. */
            findings: components["schemas"]["ResultFinding"][];
            id: string;
            /** @description Whether the next call with the same arguments gets the result. */
            released: boolean;
            server: string;
            /** @description The result as JSON, at most 64 kB, with invisible characters shown as U+XXXX. Empty if the request was not sent by a person. */
            text: string;
            tool: string;
        };
        KnownTool: {
            /** @description Name under which agents see the tool, if the configuration renames the tool. */
            appears_as?: string;
            description: string;
            /** @description Why the configuration forbids calls of the tool, for people. The wording may change. */
            disabled?: string;
            /** @description The same in a few words, such as: disabled by rule 0. */
            disabled_by?: string;
            /** @description When the hub first saw the tool, in RFC 3339. Missing for tools that are older than the stored history, and if the request has brief=true. */
            discovered_at?: string;
            /** @description Whether the tool is in every client's list: its server is always listed and usable, and no rule disables the tool. */
            enabled: boolean;
            /** @description Hash of everything that a model sees of the tool: name, description and schemas. */
            hash: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool.
             */
            id: number;
            /** @description JSON schema of the arguments; null if the tool has none. Missing if the request has brief=true. */
            input_schema?: unknown;
            /** @description Tags that the rules in the configuration give the tool. */
            labels: string[];
            name: string;
            /** @description Name of the server. */
            server: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool's server.
             */
            server_id: number;
            /** @description State of the tool's server, as in /api/servers. */
            server_state?: string;
            /** @description Title to show to people; empty when the tool has none. */
            title: string;
            /**
             * Format: int64
             * @description Number of tokens that the definition takes in a model's context (o200k_base); 0 until it is counted.
             */
            tokens: number;
            /** @description When the definition last changed, in RFC 3339. Missing when discovered_at is. */
            updated_at?: string;
        };
        LaunchChange: {
            after: string;
            /** @description The value before the change, on one line. Credentials are shown as ${…}. */
            before: string;
            /** @description The part of the launch that has changed: command, args, env, cwd, url, headers, transport or package. */
            field: string;
        };
        LearnedFields: {
            /** @description Whether find_tool learns from calls which tools fit a query, and ranks these tools higher. */
            on: boolean;
        } & {
            [key: string]: unknown;
        };
        LearnedList: {
            /** @description The entries, newest first. */
            entries: components["schemas"]["LearnedTool"][];
            /** @description Whether find_tool learns from calls which tools fit a query, and ranks these tools higher. */
            on: boolean;
            /**
             * Format: int64
             * @description Number of entries on all pages.
             */
            total: number;
        };
        LearnedTool: {
            /**
             * Format: int64
             * @description Number of failed calls of the tool among those that followed the query.
             */
            failed: number;
            /**
             * Format: int64
             * @description Unique identifier of the entry.
             */
            id: number;
            /** @description Time of the last call, in UTC. */
            last: string;
            /** @description Query of the agent, at most 200 characters, with credentials masked. */
            query: string;
            server: string;
            /**
             * Format: double
             * @description How much the tool's score is raised for this query, as a share of the largest possible increase.
             */
            strength: number;
            /**
             * Format: int64
             * @description Number of calls of the tool that followed the query.
             */
            times: number;
            tool: string;
        };
        LevelFields: {
            /**
             * @description The lowest level of log notifications that the server should send.
             * @enum {string}
             */
            level: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";
        } & {
            [key: string]: unknown;
        };
        LevelReply: {
            level: string;
            ok: boolean;
        };
        Line: {
            kind: string;
            /** Format: int64 */
            new?: number;
            /** Format: int64 */
            old?: number;
            text: string;
        };
        ListOfElicitation: {
            entries: components["schemas"]["Elicitation"][] | null;
        };
        ListOfPreset: {
            entries: components["schemas"]["Preset"][] | null;
        };
        ListOfRememberedAnswer: {
            entries: components["schemas"]["RememberedAnswer"][] | null;
        };
        LogEntry: {
            /** @description Arguments as the client sent them. If they were too long, a string with the beginning of their JSON text. */
            args: unknown;
            client: string;
            /**
             * Format: int64
             * @description Unique identifier of the entry.
             */
            id: number;
            kind: string;
            /** Format: int64 */
            latency_ms: number;
            outcome: string;
            response: string;
            server: string;
            session: string;
            /** @description Whether the outcome is ok. */
            success: boolean;
            /** @description When the call began. */
            timestamp: string;
            /** @description Name of the called tool. For entries of other kinds, the method, the URI of the resource or the name of the prompt. */
            tool: string;
        };
        LogList: {
            entries: components["schemas"]["LogEntry"][] | null;
            /**
             * Format: int64
             * @description Number of entries on all pages.
             */
            total: number;
        };
        LoginFields: {
            /** @description Whether to write a file that opens the sign-in page in a browser. The file is removed when the sign-in ends. */
            file?: boolean;
            /** @description Name of the browser's snap package. The file is then in a folder that the snap can read. */
            snap?: string;
        } & {
            [key: string]: unknown;
        };
        Mark: {
            /** @description Kind of the warning, for programs. More kinds may be added. */
            kind: string;
            /** @description The suspicious part of the text at the place named by place, to highlight; empty for the whole text. */
            match?: string;
            /** @description The place in the configuration: description, command, args[N], env.NAME, headers.NAME or url. */
            place: string;
            /** @description The warning as a sentence. */
            text: string;
        };
        MarketAnswer: {
            done: boolean;
            results: components["schemas"]["MarketResult"][];
            sources: components["schemas"]["MarketReport"][];
            /** Format: int64 */
            total: number;
        };
        MarketArgument: {
            choices?: string[] | null;
            default?: string;
            description?: string;
            format?: string;
            from?: string;
            hint?: string;
            name?: string;
            named?: boolean;
            placeholder?: string;
            repeated?: boolean;
            required?: boolean;
            secret?: boolean;
            value?: string;
            variables?: {
                [key: string]: components["schemas"]["MarketInput"];
            };
        };
        MarketChoice: {
            /** @description Maps names of the plan's questions to their answers. Only a repeated question may have several. An empty answer omits an optional value that has a default. */
            answers?: {
                [key: string]: string[] | null;
            };
            /** @description Identifier of the listing, SOURCE:NAME, such as npm:@scope/name. */
            id: string;
            /** @description Name of the server; by default one that is made from the listing's name. */
            name?: string;
            /** @description Identifier of one of the plan's options; the preferred one by default. */
            option?: string;
            /** @description Version of the listing; the latest one by default. */
            version?: string;
        } & {
            [key: string]: unknown;
        };
        MarketDetails: {
            description: string;
            /** Format: int64 */
            downloads?: number;
            ids: string[];
            keywords?: string[] | null;
            license?: string;
            message?: string;
            name: string;
            /** @description Ways to run the server, the preferred one first. Empty if there is none; see problem. */
            options: components["schemas"]["PlanOption"][];
            packages?: components["schemas"]["MarketPackage"][] | null;
            /** @description Why the server cannot be installed. */
            problem?: string;
            /** Format: date-time */
            published?: string;
            readme?: string;
            remotes?: components["schemas"]["MarketRemote"][] | null;
            repository?: string;
            server: boolean;
            /** @description Identifiers of the configured servers that were installed from this listing or from a listing of the same server in another source. */
            servers: number[];
            signs?: string[] | null;
            source: string;
            status: string;
            title?: string;
            /** Format: date-time */
            updated?: string;
            verified: boolean;
            version: string;
            website?: string;
        };
        MarketField: {
            choices?: string[] | null;
            default?: string;
            description?: string;
            format?: string;
            from?: string;
            name: string;
            placeholder?: string;
            required?: boolean;
            secret?: boolean;
            value?: string;
            variables?: {
                [key: string]: components["schemas"]["MarketInput"];
            };
        };
        MarketInput: {
            choices?: string[] | null;
            default?: string;
            description?: string;
            format?: string;
            from?: string;
            placeholder?: string;
            required?: boolean;
            secret?: boolean;
            value?: string;
        };
        MarketJobList: {
            /** @description The installations, newest first. */
            jobs: components["schemas"]["InstallProgress"][];
        };
        MarketLines: {
            /** @description The last lines of output, at most 1,000. */
            lines: string[];
        };
        MarketPackage: {
            arguments?: components["schemas"]["MarketArgument"][] | null;
            base_url?: string;
            before?: components["schemas"]["MarketArgument"][] | null;
            env?: components["schemas"]["MarketField"][] | null;
            identifier: string;
            kind: string;
            program?: string;
            requires?: string;
            runtime?: string;
            sha256?: string;
            transport: components["schemas"]["MarketRemote"];
            version?: string;
        };
        MarketProbe: {
            answer: string;
            /** Format: date-time */
            at: string;
            detail?: string;
        };
        MarketRemote: {
            headers?: components["schemas"]["MarketField"][] | null;
            probe?: components["schemas"]["MarketProbe"];
            type: string;
            url?: string;
            variables?: {
                [key: string]: components["schemas"]["MarketInput"];
            };
        };
        MarketReport: {
            /** Format: int64 */
            elapsed_ms: number;
            /** Format: int64 */
            found: number;
            problem?: string;
            progress: string;
            source: string;
        };
        MarketResult: {
            categories?: string[] | null;
            description: string;
            /** Format: int64 */
            downloads?: number;
            ids: string[];
            installed: boolean;
            keywords?: string[] | null;
            license?: string;
            message?: string;
            name: string;
            packages?: components["schemas"]["MarketPackage"][] | null;
            /** Format: date-time */
            published?: string;
            remotes?: components["schemas"]["MarketRemote"][] | null;
            repository?: string;
            /** Format: double */
            score: number;
            source: string;
            status: string;
            title?: string;
            updatable: boolean;
            /** Format: date-time */
            updated?: string;
            verified: boolean;
            version: string;
            website?: string;
        };
        MarketStart: {
            /** @description All categories. */
            categories: string[];
            /** @description Well-known servers. */
            servers: components["schemas"]["MarketWellKnown"][];
        };
        MarketUpdateList: {
            /** @description The installed servers, sorted by name. */
            servers: components["schemas"]["UpdateServer"][];
        };
        MarketWellKnown: {
            category: string;
            description: string;
            /** @description Identifier of the listing. */
            id: string;
            installed: boolean;
            /**
             * @description How the server is run.
             * @enum {string}
             */
            runtime: "npm" | "pypi";
            title: string;
            /** @description Whether the server is installed and a newer version exists. */
            updatable: boolean;
        };
        MessagesReply: {
            description?: string;
            /** @description The messages: objects with role and content. */
            messages: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        MigrateFields: {
            /** @description Whether to move nothing and only return what would be moved; true by default. */
            dry_run?: boolean;
            /** @description Names of servers; all by default. */
            servers?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        MirrorState: {
            /** @description Address of the registry; empty if none is configured. */
            address: string;
            /**
             * Format: date-time
             * @description When the current refresh or, if none is running, the last one began.
             */
            began?: string;
            /**
             * Format: int64
             * @description Number of servers in the copy.
             */
            entries: number;
            /**
             * Format: date-time
             * @description When the last refresh failed.
             */
            failed_at?: string;
            /** @description Why the last refresh failed, for people. */
            problem?: string;
            /**
             * Format: int64
             * @description Number of entries that the current refresh has read so far.
             */
            read?: number;
            /**
             * Format: date-time
             * @description When the copy was last refreshed; missing if it never was.
             */
            refreshed?: string;
            /** @description Whether a refresh is running. */
            running: boolean;
        };
        MissingSecret: {
            /** @description Name of the secret. */
            key: string;
            /** @description Name of the other server that owns the secret; left out for a secret of the server itself. */
            server?: string;
            /** @description Whether the other server already has the secret, so that only the permission to use it is missing. */
            set: boolean;
        };
        Move: {
            action: string;
            error?: string;
            name: string;
            server: string;
            where: string;
        };
        NameProblems: {
            /** @description For each name, in the order of the request, why no new server can have the name; empty if a new server can have it. */
            problems: string[];
        };
        NamedCheck: {
            /** @description Why the server is unhealthy. */
            error?: string;
            /**
             * Format: int64
             * @description Unique identifier of the server.
             */
            id: number;
            /**
             * Format: int64
             * @description Duration of the check, in milliseconds.
             */
            latency_ms: number;
            name: string;
            /** @description healthy or unhealthy. */
            status: string;
        };
        NamedVersion: {
            name: string;
            version: string;
        };
        NamesFields: {
            /** @description Proposed names. */
            names: string[] | null;
        } & {
            [key: string]: unknown;
        };
        NewClientToken: {
            /** @description Identifier of the AI editor that uses the token; empty if unknown. */
            client: string;
            /** Format: date-time */
            created_at: string;
            /** @description Configuration with which the client connects. It contains the token. */
            entry: components["schemas"]["EditorImportExported"];
            /**
             * Format: date-time
             * @description When the token was last used, to the minute; missing if it was never used.
             */
            last_used_at?: string;
            name: string;
            /** @description Surface of the client: registry, meta, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset. */
            surface: string;
            /** @description The bearer token. It is not stored and cannot be shown again. */
            token: string;
        };
        NewServerFields: {
            /** @description Label of the account that the server uses, if the same server is configured for several accounts. */
            account?: string;
            /** @description Arguments of the command. */
            args?: string[] | null;
            /** @description How long a call may have neither an answer nor progress, such as 5m. If it is empty, limits.call_timeout applies. */
            call_timeout?: string;
            /** @description Program that starts a stdio server. */
            command?: string;
            /** @description Working folder of a stdio server: an absolute path, or one that begins with ~/ or a reference to a variable, such as ${env:NAME}. If it is empty, the server starts in the home folder. A confined server must be allowed to read the folder. */
            cwd?: string;
            description?: string;
            /** @description Environment variables of the server's process. */
            env?: {
                [key: string]: string;
            };
            /** @description HTTP headers to send to a remote server with each request. */
            headers?: {
                [key: string]: string;
            };
            /** @description URL of a remote server. */
            homepage?: string;
            /**
             * @description Whether all clients share one process or connection (shared, the default), or each session of a client has its own (session).
             * @enum {string}
             */
            isolation?: "shared" | "session";
            /** @description Whether to start the server with the hub and not stop it when idle. */
            keep_running?: boolean;
            /** @description Unique name, without two consecutive underscores. It must not consist only of dots. */
            name: string;
            /**
             * @description How to confine the processes of a stdio server: off (the default), guard or strict.
             * @enum {string}
             */
            sandbox?: "off" | "guard" | "strict";
            /** @description Maps names of secrets to their values. An environment variable or header gets the value of the secret of the same name, unless env or headers contains another value for it. */
            secrets?: {
                [key: string]: string;
            };
            /** @description Origin of the configuration, such as local (the default), manual or bundle. */
            source?: string;
            /** @description Whether to start the server once in the background, to list its tools; true by default. If false, the server starts with the first call, and its tools are unknown until then. */
            start?: boolean;
            tags?: string[] | null;
            /** @description stdio, streamable-http or sse. It is ignored for a server that has a command and no homepage. If it is missing for a new server, the default is stdio for a server that has a command or no homepage, sse if the path of homepage ends in /sse, and otherwise streamable-http. */
            transport?: string;
            /** @description Whether to download the package of the server now if start is false; true by default. */
            warm?: boolean;
        } & {
            [key: string]: unknown;
        };
        NoteFields: {
            /** @description Text of the note; empty to remove the note. */
            note: string;
            server: string;
            tool: string;
        } & {
            [key: string]: unknown;
        };
        NpmReply: {
            exists: boolean;
        };
        OnboardingFields: {
            /** @description Identifiers of the editors that get the hub's entry, none if it is empty; if it is missing, all that were detected and can be registered. */
            editors?: string[] | null;
            /** @description Maps the path of each previewed plan to the plan's field difference or before. A file is not written if neither field of its plan has the given value any more. */
            expect?: {
                [key: string]: string;
            };
            /** @description Whether credentials may stay in the configuration in plain text if they cannot be stored as secrets. By default, servers with such credentials are not imported. */
            plain_text?: boolean;
            /** @description The full path of the program that the entries start, if it is another copy of agent-discover than that of the hub, such as that of the caller. */
            program?: string;
            /** @description Servers to import, none if it is empty; if it is missing, all that are not configured in the hub. */
            servers?: components["schemas"]["EditorImportChoice"][] | null;
            /** @description Whether to remove the entries of imported servers from the editors afterwards. */
            take_out?: boolean;
        } & {
            [key: string]: unknown;
        };
        Outcomes: {
            outcomes: components["schemas"]["EditorOutcome"][];
        };
        OutputLine: {
            /** @description Time at which the line was written, in UTC. */
            at: string;
            /**
             * Format: int64
             * @description Number of the line. Numbers increase with each line of a server, even across restarts of the hub. Messages on the WebSocket use the same numbers.
             */
            n: number;
            /** @description The line, cut off after 8 kB. Known secrets are masked. */
            text: string;
        };
        OutputReply: {
            /** @description The last lines, oldest first. Remote servers have none. */
            lines: components["schemas"]["OutputLine"][] | null;
        };
        Package: {
            latest?: string;
            name?: string;
            version?: string;
        };
        ParseFields: {
            /** @description Configuration of any MCP client, a part of one, a command line, or a URL. */
            text: string;
        } & {
            [key: string]: unknown;
        };
        ParsedServers: {
            servers: components["schemas"]["EditorImportParsed"][];
        };
        Part: {
            kind: string;
            text: string;
        };
        PassphraseFields: {
            /** @description Passphrase of the encrypted file of secrets. The first request creates the file with this passphrase and needs a dashboard session. */
            passphrase: string;
        } & {
            [key: string]: unknown;
        };
        PastedFields: {
            /** @description The address to which the authorization server has redirected the browser at the end of the sign-in. */
            url: string;
        } & {
            [key: string]: unknown;
        };
        PauseReply: {
            paused: boolean;
        };
        Persona: {
            /** @description Toolset with which a client can be equipped when the persona is activated. */
            default_toolset?: string;
            description: string;
            /** @description Hash of the files persona.yaml and mcp.json. */
            hash: string;
            name: string;
            path: string;
            /** @description Why the persona cannot be activated; empty if it can. */
            problems: string[];
            servers: components["schemas"]["IncludedServer"][];
            toolsets: components["schemas"]["IncludedToolset"][];
            version: string;
        };
        PersonaFields: {
            /** @description Absolute path of a folder or zip archive, or the name of a persona in the folder of personas. */
            path: string;
        } & {
            [key: string]: unknown;
        };
        PersonaList: {
            active: components["schemas"]["ActivePersona"][];
            /** @description Path of the folder of personas. Each folder and zip archive in it can be a persona. */
            folder: string;
            personas: components["schemas"]["Persona"][];
        };
        PinFields: {
            tools: components["schemas"]["PinnedTool"][];
        } & {
            [key: string]: unknown;
        };
        PingFields: {
            [key: string]: unknown;
        };
        PinnedTool: {
            /** @description Hash of the current definition that the person has reviewed, from the member drift of the tool. */
            hash: string;
            server: string;
            tool: string;
        };
        Plan: {
            command?: string[] | null;
            download?: components["schemas"]["PlanDownload"];
            env?: {
                [key: string]: string;
            };
            hash: string;
            headers?: {
                [key: string]: string;
            };
            id: string;
            install?: components["schemas"]["ProgramInstall"];
            missing?: string;
            name: string;
            needs: components["schemas"]["ProgramRequirement"];
            notes?: string[] | null;
            option: components["schemas"]["PlanOption"];
            options: components["schemas"]["PlanOption"][];
            problem?: string;
            product?: string;
            questions: components["schemas"]["PlanQuestion"][];
            risk: components["schemas"]["Assessment"];
            secrets?: components["schemas"]["PlanSecret"][] | null;
            steps?: components["schemas"]["PlanStep"][] | null;
            unresolved?: string;
            url?: string;
            version?: string;
        };
        PlanDownload: {
            from?: string;
            kind: string;
            name: string;
            sha256?: string;
            version?: string;
        };
        PlanOption: {
            downloads: boolean;
            id: string;
            kind: string;
            missing?: string;
            name: string;
            problem?: string;
            program?: string;
            ready: boolean;
            /** Format: int64 */
            required: number;
            /** Format: int64 */
            secrets: number;
        };
        PlanQuestion: {
            choices?: string[] | null;
            default?: string;
            description?: string;
            flag?: boolean;
            format?: string;
            guessed?: boolean;
            label: string;
            later?: boolean;
            missing: boolean;
            name: string;
            placeholder?: string;
            repeated?: boolean;
            required: boolean;
            secret: boolean;
            stored?: boolean;
            variable?: string;
            where: string;
            why?: string;
        };
        PlanSecret: {
            name: string;
            reference: string;
            stored?: boolean;
            visible?: boolean;
            where: string;
        };
        PlanStep: {
            command: string[];
            why: string;
        };
        Plans: {
            plans: components["schemas"]["EditorPlan"][];
        };
        Pong: {
            ok: boolean;
            /**
             * Format: int64
             * @description Round-trip time, in milliseconds.
             */
            rtt_ms: number;
        };
        PortHolder: {
            /** @description Whether it is another user than that of the hub. */
            foreign?: boolean;
            /** @description Name of its program. */
            name?: string;
            /**
             * Format: int64
             * @description Missing if the system does not report it, for example of another user.
             */
            pid?: number;
            /** @description The user that runs it. */
            user?: string;
        };
        Preset: {
            created_at: string;
            /**
             * Format: int64
             * @description Unique identifier of the preset.
             */
            id: number;
            /** @description tool or prompt. */
            kind: string;
            /** @description The arguments. */
            payload: unknown;
            preset_name: string;
            server_name: string;
            /** @description Name of the tool or prompt. */
            target_name: string;
            updated_at: string;
        };
        PresetFields: {
            /** @enum {string} */
            kind: "tool" | "prompt";
            /** @description The arguments. */
            payload: unknown;
            /** @description Name of the preset. A preset with the same name is replaced. */
            preset: string;
            /** @description Name of the server. */
            server: string;
            /** @description Name of the tool or prompt. */
            target: string;
        } & {
            [key: string]: unknown;
        };
        Program: {
            install?: components["schemas"]["ProgramInstall"];
            name: string;
            path?: string;
            problem?: string;
            product: string;
            rootless?: boolean;
            version?: string;
            works: boolean;
        };
        ProgramInstall: {
            commands?: (string[] | null)[] | null;
            note?: string;
            page: string;
            root?: boolean;
            run?: (string[] | null)[] | null;
        };
        ProgramPrereqs: {
            docker: boolean;
            npx: boolean;
            uv: boolean;
            uvx: boolean;
        };
        ProgramReport: {
            /** Format: date-time */
            at: string;
            programs: components["schemas"]["Program"][];
        };
        ProgramRequirement: {
            of?: string;
            programs: string[] | null;
            versions?: string;
        };
        PromptFields: {
            /** @description Object with the arguments of the prompt; values are strings. */
            arguments?: unknown;
            /** @description Name of the prompt. */
            name: string;
        } & {
            [key: string]: unknown;
        };
        PromptsReply: {
            /** @description The value of cursor for the next page; missing on the last page. */
            nextCursor?: string;
            /** @description Prompts as the server listed them: objects with name and more. */
            prompts: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        PublishedPackage: {
            license: string | null;
            name: string;
            /** @description npm, pypi, oci, nuget, mcpb or cargo; for a remote server, its transport. */
            registry_name: string;
            /** @description node, python, docker, dotnet, mcpb or cargo; for a remote server, its transport. */
            runtime: string;
            url: string | null;
            version: string;
        };
        PublishedServer: {
            description: string;
            /** @description Identifier of the server in /api/market/details. */
            listing: string;
            name: string;
            packages: components["schemas"]["PublishedPackage"][];
            repository: string | null;
            version: string;
        };
        RankedTool: {
            /**
             * Format: int64
             * @description Mean duration, in milliseconds.
             */
            avg_latency_ms: number;
            /** Format: int64 */
            call_count: number;
            /** Format: int64 */
            error_count: number;
            /** @description Time of the last call in UTC, for example 2026-01-31 08:00:00. */
            last_called_at: string;
            /**
             * Format: double
             * @description Longest duration, in milliseconds.
             */
            max_ms: number;
            /**
             * Format: double
             * @description Median duration, in milliseconds; null while unknown.
             */
            p50_ms: number | null;
            /**
             * Format: double
             * @description 95th percentile of the duration, in milliseconds; null while unknown.
             */
            p95_ms: number | null;
            server_name: string;
            tool_name: string;
        };
        ReloadedConfig: {
            /** @description Keys of the settings that have changed since the file was last read. */
            changed: string[];
            /** @description Keys of settings that have changed in the file, but whose new values the hub uses only after a restart. */
            restart: string[];
        };
        RememberedAnswer: {
            /**
             * @description accept: the hub answers the same question with the same values. decline: the hub declines every question of the mode.
             * @enum {string}
             */
            action: "accept" | "decline";
            /** @description For remember=session, name of the MCP client whose session the answer applies to; missing for calls from the dashboard. */
            client?: string;
            /**
             * Format: int64
             * @description When a person chose the answer, in milliseconds since 1970 UTC.
             */
            createdAt: number;
            id: string;
            /** @description For accept, the question that the answer applies to, shortened. Known secrets are masked. */
            message?: string;
            /**
             * @description The mode of the questions that the answer applies to; see GET /api/elicitations.
             * @enum {string}
             */
            mode: "form" | "url" | "sampling";
            /** @enum {string} */
            remember: "session" | "always";
            serverName: string;
            /** @description Whether the answer is no longer used, because the configuration of the server has changed. */
            stale?: boolean;
        };
        RenameFields: {
            /** @description The new name, as for a new server. Tools of the server are then called as name__tool. */
            name: string;
        } & {
            [key: string]: unknown;
        };
        Report: {
            /**
             * Format: int64
             * @description Position of the first broken entry.
             */
            broken?: number;
            /**
             * Format: int64
             * @description Number of entries that were read.
             */
            entries: number;
            /**
             * Format: int64
             * @description Position of the first entry; 0 if there is none.
             */
            first: number;
            /** @description Places at which the hub could not store entries. */
            gaps?: components["schemas"]["Gap"][] | null;
            /** @description SHA-256 of the last entry. Keep a copy on another machine to detect a forged chain. */
            hash: string;
            intact: boolean;
            /**
             * Format: int64
             * @description Position of the last entry; 0 if there is none.
             */
            last: number;
            /** @description The error in the first broken entry. */
            problem?: string;
            /**
             * Format: int64
             * @description Number of requests whose outcome is unknown, because the hub was killed before it had their results.
             */
            unknown?: number;
            /**
             * Format: int64
             * @description Number of entries that are in memory and not stored yet.
             */
            waiting?: number;
            /** @description Why they could not be stored yet. */
            waiting_for?: string;
        };
        RequestError: {
            /** Format: int64 */
            code: number;
            /** @description Further details of the error; any JSON value. */
            data?: unknown;
            message: string;
        };
        RequestFields: {
            /** @description Method of the JSON-RPC request, such as tasks/list. Methods of the handshake, such as initialize, are refused. */
            method: string;
            /** @description Object with the parameters. */
            params?: unknown;
        } & {
            [key: string]: unknown;
        };
        RequestReply: {
            /** @description The JSON-RPC error of the server. */
            error?: components["schemas"]["RequestError"];
            /** @description The result, as the server sent it. */
            result?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        ResolvedTool: {
            /** @description Code of the error with which a call of the tool fails while held is set. */
            code?: string;
            /** @description If the server does not list the tool, the similar names of its other tools. */
            did_you_mean?: string[];
            /** @description Why calls of the tool fail until a person approves the tool or its server. */
            held?: string;
            /** @description Whether the hub knows that the server lists the tool. The tools of a server that was never started are unknown. */
            known: boolean;
            /** @description Name of the server. */
            server: string;
            /** @description Name of the tool, as its server lists it. */
            tool: string;
        };
        ResourcesReply: {
            /** @description The value of cursor for the next page; missing on the last page. */
            nextCursor?: string;
            /** @description Resources as the server listed them: objects with uri, name and more. */
            resources: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        ResultFinding: {
            /** @description Why the evidence is suspicious, in one sentence. */
            reason: string;
            rule: string;
            /** @description The suspicious part of the result. Invisible characters are shown as U+XXXX. */
            text: string;
        };
        ResultsFields: {
            /** @description Folder in which agents may save images, sounds and files of long results; empty if agents may save nothing. */
            folder: string;
        } & {
            [key: string]: unknown;
        };
        ResumeFields: {
            challenge: string;
            /** @description Public key of a key pair that the page keeps in memory: an uncompressed P-256 point in hexadecimal. With it, an open page resumes its session after a restart of the hub on the same port. */
            page_key?: string;
            /** @description Public key of a key pair that the page keeps in the browser's storage, in the format of page_key. With it, a reloaded page resumes its session until the hub stops. */
            reload_key?: string;
            /** @description Public identifier of the session to resume. */
            session: string;
            /** @description ECDSA signature with SHA-256 by a key of the session, in the format of WebCrypto, in hexadecimal. The signed message consists of the lines agent-discover, resume, the instance, 127.0.0.1:PORT, the session and the challenge. */
            signature: string;
        } & {
            [key: string]: unknown;
        };
        Root: {
            name: string;
            uri: string;
        };
        Roots: {
            roots: components["schemas"]["Root"][] | null;
        };
        RootsFields: {
            /** @description The new roots, which replace all others. */
            roots: components["schemas"]["Root"][];
        } & {
            [key: string]: unknown;
        };
        RuleEffect: {
            /** @description Whether the tool would be enabled with the rule. */
            after: boolean;
            /** @description Whether the tool is enabled now. */
            before: boolean;
            /** @description The negated pattern that prevents the rule from matching the tool. */
            excluded_by?: string;
            /** @description Whether the rule matches the tool. */
            hit: boolean;
            /** @description The pattern of the rule that matches the tool. */
            pattern?: string;
            server: string;
            /** @description Tags that the tool would have with the rule. */
            tags: string[];
            tool: string;
        };
        RuleFields: {
            /**
             * Format: int64
             * @description Index of the rule to remove.
             */
            at?: number;
            /** @description Object with pattern, server, enabled and tags, as in discovery.tool_rules of the settings file. */
            rule: unknown;
        } & {
            [key: string]: unknown;
        };
        Runs: {
            args: string[] | null;
            command: string;
            cwd?: string;
            env: {
                [key: string]: string;
            };
            headers: {
                [key: string]: string;
            };
            transport: string;
            url: string;
        };
        Sandbox: {
            /** @description Options that the hub adds to the arguments of a container engine. */
            added: string[] | null;
            /** @description Accesses that were probably denied to the server since the hub started, latest last. The operating system does not report denials, so the hub takes them from the output of the server. */
            denied: components["schemas"]["DeniedAccess"][] | null;
            /**
             * @description How far this operating system enforces the level: off (the level has no restrictions), enforced (all restrictions), partly (all except those in missing) or unsupported (none). A server of level strict starts only if the level is enforced.
             * @enum {string}
             */
            enforced: "off" | "enforced" | "partly" | "unsupported";
            /** @description Accesses that a person has granted the server in addition to those that its level allows. */
            grants: components["schemas"]["SandboxGrants"];
            /**
             * @description off (no restrictions), guard (the server uses only the system, its own program, a home folder of its own, the MCP roots and granted files) or strict (as guard, and it reaches no address unless granted).
             * @enum {string}
             */
            level: "off" | "guard" | "strict";
            /** @description Restrictions of the level that this operating system does not enforce, as sentences for people. */
            missing: string[] | null;
            /** @description Limitations of the enforced restrictions and of the grants, as sentences for people. */
            notes: string[] | null;
        };
        SandboxFields: {
            /** @description The new grants, which replace all current ones. If missing, the grants stay as they are. */
            grants?: components["schemas"]["SandboxGrants"];
            /**
             * @description How to confine the server's processes. If missing, the level stays as it is.
             * @enum {string}
             */
            level?: "off" | "guard" | "strict";
        } & {
            [key: string]: unknown;
        };
        SandboxGrants: {
            /** @description Addresses to which a strict server may connect: host:port, a port of all hosts, or * for all. */
            network: string[] | null;
            /** @description Files and folders that the server may read: absolute paths, or paths that begin with ~/. */
            read: string[] | null;
            /** @description Files and folders that the server may read and write: absolute paths, or paths that begin with ~/. */
            write: string[] | null;
        };
        ScanFields: {
            /** @description Absolute path of an .mcpb or .dxt file. Send either text or bundle. */
            bundle?: string;
            /** @description Configuration of any MCP client, a part of one, or a command line. */
            text?: string;
        } & {
            [key: string]: unknown;
        };
        Scanned: {
            candidates: components["schemas"]["EditorImportCandidate"][];
            problems: components["schemas"]["EditorImportProblem"][];
            /** @description Questions that the bundle asks the user, about values such as an API key. */
            questions: components["schemas"]["EditorImportQuestion"][];
        };
        SearchStatus: {
            /** @description The embedding model; empty when provider is none. */
            model: string;
            /** @description Why tools can currently be found only by their words, and the remedy; empty if there is no problem. */
            problem: string;
            /**
             * @description Provider of embedding vectors. With none, tools are found only by their words.
             * @enum {string}
             */
            provider: "builtin" | "none" | "local" | "openai";
            /**
             * Format: int64
             * @description Number of tools that have an embedding vector and can be found by their meaning.
             */
            ready: number;
            /**
             * Format: int64
             * @description Number of known tools.
             */
            tools: number;
            /** @description Whether vectors are being computed now. */
            working: boolean;
        };
        Secret: {
            key: string;
            /** @description A placeholder that is the same for all secrets and does not depend on the value. */
            masked_value: string;
            updated_at: string;
        };
        SecretFields: {
            /** @description The new value. */
            value: string;
        } & {
            [key: string]: unknown;
        };
        SecretLink: {
            /** @description Whether the link is still valid. It becomes invalid when the command, the arguments or the URL of the server that uses the secret change. */
            holds: boolean;
            /** @description Name of the secret. */
            key: string;
            /** @description Name of the server that owns the secret. */
            server: string;
        };
        SecretName: {
            /** @description Place where the value is stored. keychain: in the keychain of the operating system. sealed: in a file for values that are too long for the keychain, encrypted with a key in the keychain. file: in a file that is encrypted with a passphrase. */
            kept: string;
            key: string;
            updated_at: string;
        };
        SecretsView: {
            /** @description Servers that have a secret or may use a secret of another server. */
            servers: components["schemas"]["ServerSecrets"][] | null;
            status: components["schemas"]["VaultStatus"];
        };
        Server: {
            /** @description Label of the account that the server uses, if the same server is configured for several accounts. */
            account?: string;
            /** @description Whether the server is always listed: its tools are in every client's list. */
            active: boolean;
            /** @description Whether a person has allowed the server to start. */
            approved: boolean;
            /** @description Arguments of the command. */
            args: string[] | null;
            /** @description The server's own limit in place of limits.call_timeout, such as 5m. Missing if it has none. */
            call_timeout?: string;
            /** @description Program that starts a stdio server. */
            command: string | null;
            /** @description The processes or connections that clients share, if there are two: one for clients of MCP versions before 2026-07-28, and one for clients of later versions. */
            connections?: components["schemas"]["Connection"][] | null;
            created_at: string;
            /** @description Working folder of a stdio server; the home folder if it is missing. */
            cwd?: string;
            description: string;
            /** @description Whether a person has disabled the server: it keeps its settings and secrets, but is neither started nor shown to agents. */
            disabled?: boolean;
            /** @description Environment variables of the server's process. */
            env: {
                [key: string]: string;
            };
            /** Format: int64 */
            error_count: number;
            /** @description HTTP headers sent to a remote server. */
            headers?: {
                [key: string]: string;
            };
            health_status: string;
            /** @description URL of a remote server. */
            homepage: string | null;
            /**
             * Format: int64
             * @description Unique identifier of the server.
             */
            id: number;
            installed: boolean;
            /**
             * @description shared (one process or connection for all clients) or session (one for each session of a client).
             * @enum {string}
             */
            isolation: "shared" | "session";
            /**
             * Format: int64
             * @description Number of tools and other items that a person has to approve before agents see them.
             */
            items_held?: number;
            /** @description Whether the server starts with the hub and is not stopped when idle. */
            keep_running: boolean;
            /** @description Why the last start, check or call of the server failed, for people. It begins with the reason that the server itself gave, if any. */
            last_error?: string;
            last_health_check: string | null;
            latest_version: string | null;
            /** @description Hash of the launch, that is, of all parts of the configuration that determine what runs when the server starts. Send it when you approve the server, so that the approval fails if the configuration has changed. */
            launch_hash: string;
            /** @description Name of the environment variable that the server lacks, from its output at the last failure. Store a secret of this name for the server, then start the server again. */
            missing_variable?: string;
            /** @description Whether the value of missing_variable is a credential, which belongs in the vault. */
            missing_variable_secret?: boolean;
            /** @description Unique name. Tools of the server are called as name__tool. */
            name: string;
            /** @description Notes for the person who adds the server, as sentences; missing later. They say which credentials of the configuration are stored as secrets, which stay in plain text and why, and which server has almost the same name. */
            notes?: string[] | null;
            /** @description Where a server that waits for approval comes from, as the end of a sentence that begins with its name, such as: imported from cursor. */
            origin?: string;
            package_name: string | null;
            package_version: string | null;
            /**
             * Format: int64
             * @description Process ID of a running stdio server; of the first one if there are several.
             */
            pid?: number;
            /** @description Places in the configuration that contain a credential, which could be moved to the vault: env.NAME, args[3], headers.NAME or url. */
            plaintext: string[] | null;
            /** @description The program that the command starts, such as npx, if GET /api/market/programs lists it. */
            program?: string;
            /** @description Name of the client whose agent proposed the server, as the client reports it. */
            proposed_by?: string;
            /**
             * Format: int64
             * @description Number of recent calls from which the state calls_fail is determined, at most 10. Calls before the last change of the server do not count.
             */
            recent_calls: number;
            /**
             * Format: int64
             * @description Number of failed calls among the last recent_calls calls.
             */
            recent_errors: number;
            repository: string | null;
            /** @description The risk of starting a server that waits for approval. */
            risk?: components["schemas"]["Assessment"];
            /** @description Whether the server has a process or a connection now. */
            running: boolean;
            /** @description How the processes of a stdio server are confined. Left out for a remote server. */
            sandbox?: components["schemas"]["Sandbox"];
            /** @description Names of the secrets that the configuration refers to: NAME, or OWNER/NAME for a secret of another server. */
            secret_references?: string[] | null;
            /**
             * Format: int64
             * @description Number of client sessions that have a process or connection of their own now, if isolation is session.
             */
            sessions?: number;
            /**
             * @description State of the sign-in to a remote server. signed_in: a person is signed in. required: a person must sign in. again: a person must sign in again. waiting: a sign-in waits for a person. Missing if nobody is signed in and the server has not asked for a sign-in.
             * @enum {string}
             */
            sign_in?: "signed_in" | "required" | "again" | "waiting";
            /** @description Origin of the configuration: local (a person), manual (an agent), setup-file, bundle, copy (a backup copy with which the database was repaired), or the name of another import. */
            source: string;
            /** @description The server's own limit in place of limits.start_timeout, such as 5m. Missing if it has none. */
            start_timeout?: string;
            /**
             * @description waiting (for approval), disabled (by a person), incomplete (has no command and no address, or an unknown transport), held (a program has changed how the server is started), sign_in (a person must sign in), starting (for the first time, to list its tools), failing (the last start or check failed), calls_fail (most of the last calls failed), running, new (never started, so its tools are unknown) or stopped.
             * @enum {string}
             */
            state: "waiting" | "disabled" | "incomplete" | "held" | "sign_in" | "starting" | "failing" | "calls_fail" | "running" | "new" | "stopped";
            /** @description Why the server cannot be used now, why its calls fail, or why its tools are unknown, as the end of a sentence that begins with the name of the server. */
            state_reason?: string;
            tags: string[] | null;
            /**
             * Format: int64
             * @description Number of known tools that agents may use: those that no rule disables and that are not held.
             */
            tool_count: number;
            /**
             * Format: int64
             * @description Number of tokens that the definitions of these tools take in a model's context (o200k_base); 0 until they are counted.
             */
            tool_tokens: number;
            /**
             * Format: int64
             * @description Number of further tools that the rules disable.
             */
            tools_disabled?: number;
            /** @description Whether the server has listed its tools since it was configured. Otherwise the number of its tools is unknown. */
            tools_known: boolean;
            /** @description stdio, streamable-http or sse. */
            transport: string;
            updated_at: string;
        };
        ServerAbout: {
            /** @description Object with the MCP capabilities of the server. */
            capabilities: unknown;
            /** @description Object with the MCP capabilities that the hub declares to the server: in initialize or, if the protocol version is 2026-07-28 or later, in each request. */
            clientCapabilities: unknown;
            /** @description The server's instructions for models. */
            instructions?: string;
            /** @description Name that the server reports. */
            name: string;
            /** @description Version of MCP that the hub and the server have negotiated. */
            protocolVersion: string;
            /** @description All versions of MCP that the server supports, if the server reports them. */
            supportedVersions?: string[] | null;
            version: string;
        };
        ServerContext: {
            server: string;
            /**
             * Format: double
             * @description tokens as a fraction of the member window of the response.
             */
            share: number;
            /**
             * Format: int64
             * @description Number of tokens of the definitions of the tools.
             */
            tokens: number;
            /**
             * Format: int64
             * @description Number of tools.
             */
            tools: number;
            /**
             * Format: int64
             * @description Number of tools whose tokens are not counted yet.
             */
            uncounted: number;
        };
        ServerDetail: {
            /** @description Label of the account that the server uses, if the same server is configured for several accounts. */
            account?: string;
            /** @description Whether the server is always listed: its tools are in every client's list. */
            active: boolean;
            /** @description Whether a person has allowed the server to start. */
            approved: boolean;
            /** @description Arguments of the command. */
            args: string[] | null;
            /** @description The server's own limit in place of limits.call_timeout, such as 5m. Missing if it has none. */
            call_timeout?: string;
            /** @description Program that starts a stdio server. */
            command: string | null;
            /** @description The processes or connections that clients share, if there are two: one for clients of MCP versions before 2026-07-28, and one for clients of later versions. */
            connections?: components["schemas"]["Connection"][] | null;
            /** @description Items that the hub corrects or leaves out in the lists for clients, because clients could otherwise reject the whole list. */
            corrections?: components["schemas"]["Correction"][] | null;
            created_at: string;
            /** @description Working folder of a stdio server; the home folder if it is missing. */
            cwd?: string;
            description: string;
            /** @description Whether a person has disabled the server: it keeps its settings and secrets, but is neither started nor shown to agents. */
            disabled?: boolean;
            /** @description Environment variables of the server's process. */
            env: {
                [key: string]: string;
            };
            /** Format: int64 */
            error_count: number;
            /** @description HTTP headers sent to a remote server. */
            headers?: {
                [key: string]: string;
            };
            health_status: string;
            /** @description URL of a remote server. */
            homepage: string | null;
            /**
             * Format: int64
             * @description Unique identifier of the server.
             */
            id: number;
            installed: boolean;
            /**
             * @description shared (one process or connection for all clients) or session (one for each session of a client).
             * @enum {string}
             */
            isolation: "shared" | "session";
            /**
             * Format: int64
             * @description Number of tools and other items that a person has to approve before agents see them.
             */
            items_held?: number;
            /** @description Whether the server starts with the hub and is not stopped when idle. */
            keep_running: boolean;
            /** @description Why the last start, check or call of the server failed, for people. It begins with the reason that the server itself gave, if any. */
            last_error?: string;
            last_health_check: string | null;
            latest_version: string | null;
            /** @description Hash of the launch, that is, of all parts of the configuration that determine what runs when the server starts. Send it when you approve the server, so that the approval fails if the configuration has changed. */
            launch_hash: string;
            /** @description Name of the environment variable that the server lacks, from its output at the last failure. Store a secret of this name for the server, then start the server again. */
            missing_variable?: string;
            /** @description Whether the value of missing_variable is a credential, which belongs in the vault. */
            missing_variable_secret?: boolean;
            /** @description Unique name. Tools of the server are called as name__tool. */
            name: string;
            /** @description Notes for the person who adds the server, as sentences; missing later. They say which credentials of the configuration are stored as secrets, which stay in plain text and why, and which server has almost the same name. */
            notes?: string[] | null;
            /** @description Where a server that waits for approval comes from, as the end of a sentence that begins with its name, such as: imported from cursor. */
            origin?: string;
            package_name: string | null;
            package_version: string | null;
            /**
             * Format: int64
             * @description Process ID of a running stdio server; of the first one if there are several.
             */
            pid?: number;
            /** @description Places in the configuration that contain a credential, which could be moved to the vault: env.NAME, args[3], headers.NAME or url. */
            plaintext: string[] | null;
            /** @description The program that the command starts, such as npx, if GET /api/market/programs lists it. */
            program?: string;
            /** @description Name of the client whose agent proposed the server, as the client reports it. */
            proposed_by?: string;
            /**
             * Format: int64
             * @description Number of recent calls from which the state calls_fail is determined, at most 10. Calls before the last change of the server do not count.
             */
            recent_calls: number;
            /**
             * Format: int64
             * @description Number of failed calls among the last recent_calls calls.
             */
            recent_errors: number;
            repository: string | null;
            /** @description The risk of starting a server that waits for approval. */
            risk?: components["schemas"]["Assessment"];
            /** @description Whether the server has a process or a connection now. */
            running: boolean;
            /** @description How the processes of a stdio server are confined. Left out for a remote server. */
            sandbox?: components["schemas"]["Sandbox"];
            /** @description Names of the secrets that the configuration refers to: NAME, or OWNER/NAME for a secret of another server. */
            secret_references?: string[] | null;
            /**
             * Format: int64
             * @description Number of client sessions that have a process or connection of their own now, if isolation is session.
             */
            sessions?: number;
            /**
             * @description State of the sign-in to a remote server. signed_in: a person is signed in. required: a person must sign in. again: a person must sign in again. waiting: a sign-in waits for a person. Missing if nobody is signed in and the server has not asked for a sign-in.
             * @enum {string}
             */
            sign_in?: "signed_in" | "required" | "again" | "waiting";
            /** @description Origin of the configuration: local (a person), manual (an agent), setup-file, bundle, copy (a backup copy with which the database was repaired), or the name of another import. */
            source: string;
            /** @description The server's own limit in place of limits.start_timeout, such as 5m. Missing if it has none. */
            start_timeout?: string;
            /**
             * @description waiting (for approval), disabled (by a person), incomplete (has no command and no address, or an unknown transport), held (a program has changed how the server is started), sign_in (a person must sign in), starting (for the first time, to list its tools), failing (the last start or check failed), calls_fail (most of the last calls failed), running, new (never started, so its tools are unknown) or stopped.
             * @enum {string}
             */
            state: "waiting" | "disabled" | "incomplete" | "held" | "sign_in" | "starting" | "failing" | "calls_fail" | "running" | "new" | "stopped";
            /** @description Why the server cannot be used now, why its calls fail, or why its tools are unknown, as the end of a sentence that begins with the name of the server. */
            state_reason?: string;
            /** @description The last lines that the server's process wrote to standard error. */
            stderr?: string;
            tags: string[] | null;
            /**
             * Format: int64
             * @description Number of known tools that agents may use: those that no rule disables and that are not held.
             */
            tool_count: number;
            /**
             * Format: int64
             * @description Number of tokens that the definitions of these tools take in a model's context (o200k_base); 0 until they are counted.
             */
            tool_tokens: number;
            tools: components["schemas"]["Tool"][] | null;
            /**
             * Format: int64
             * @description Number of further tools that the rules disable.
             */
            tools_disabled?: number;
            /** @description Whether the server has listed its tools since it was configured. Otherwise the number of its tools is unknown. */
            tools_known: boolean;
            /** @description stdio, streamable-http or sse. */
            transport: string;
            updated_at: string;
        };
        ServerListing: {
            /** Format: date-time */
            at: string;
            /** Format: double */
            duration_ms: number;
            /** @description Why the tools could not be listed; missing if they could. */
            error?: string;
            /**
             * Format: int64
             * @description Number of failed attempts to list the tools.
             */
            failed: number;
            /**
             * Format: int64
             * @description Number of successful attempts to list the tools.
             */
            read: number;
            server: string;
            /** Format: int64 */
            tools: number;
        };
        ServerMessage: {
            /** @description Time at which the message was sent or received, in UTC. */
            at: string;
            /** @description Whether text contains only the beginning of the message. */
            cut?: boolean;
            /**
             * @description sent: by the hub to the server. received: from the server.
             * @enum {string}
             */
            direction: "sent" | "received";
            /** @description Identifier of the request, as JSON; missing for notifications. */
            id?: string;
            /** @description Method of the request or notification; missing for responses. */
            method?: string;
            /**
             * Format: int64
             * @description Number of the message. Numbers increase with each message of a server, even across restarts of the hub.
             */
            n: number;
            /**
             * Format: int64
             * @description Size of the whole message, in bytes.
             */
            size: number;
            /** @description The message as it was sent, cut off after 128 kB. Known secrets are masked. */
            text: string;
        };
        ServerMessagesReply: {
            /** @description Recorded messages, oldest first: the messages of the last handshake, and those exchanged while a WebSocket client followed the server's messages. All messages of transient servers are recorded. At most 1000 messages and 4 MB are kept. */
            messages: components["schemas"]["ServerMessage"][];
            /** @description Whether there are further messages. To get them, send the number of the last message as the parameter after. */
            more: boolean;
        };
        ServerMetrics: {
            /**
             * Format: int64
             * @description Mean duration, in milliseconds.
             */
            avg_latency_ms: number;
            /** @description Time of the last call in UTC, for example 2026-01-31 08:00:00. */
            last_called_at: string;
            /**
             * Format: double
             * @description Longest duration, in milliseconds.
             */
            max_ms: number;
            /**
             * Format: double
             * @description Median duration, in milliseconds; null while unknown.
             */
            p50_ms: number | null;
            /**
             * Format: double
             * @description 95th percentile of the duration, in milliseconds; null while unknown.
             */
            p95_ms: number | null;
            server_name: string;
            /** Format: int64 */
            total_calls: number;
            /** Format: int64 */
            total_errors: number;
        };
        ServerRoots: {
            /** @description Whether the roots cannot be changed. This is so for configured servers: all clients share them, so they get the roots of the hub's settings. */
            fixed?: boolean;
            roots: components["schemas"]["Root"][];
        };
        ServerSecrets: {
            links: components["schemas"]["SecretLink"][] | null;
            secrets: components["schemas"]["SecretName"][] | null;
            /** @description Name of the server. */
            server: string;
        };
        SessionView: {
            /**
             * Format: date-time
             * @description When the session expires. Each use of the session extends it.
             */
            expires_at: string;
            /** @description Key of the HMAC session_proof in the response of /hello, with which the hub proves to the page that it knows the session. */
            proof_key: string;
            /** @description Public identifier of the session, for /hello. It is no secret. */
            session: string;
            /** @description Token of the session, to be sent in place of the hub's own token. It becomes invalid when the hub stops. */
            token: string;
        };
        Setting: {
            /** @description The values that the setting can have; missing if the setting is not limited to a list of values. */
            choices?: string[] | null;
            /** @description Heading under which the settings page shows the setting; missing if the setting can only be edited in the file. */
            group?: string;
            /** @description What the setting does, for people. The wording may change. */
            help: string;
            key: string;
            /** @description Name of the setting on the settings page. */
            label?: string;
            /**
             * @description Where the value comes from.
             * @enum {string}
             */
            origin: "default" | "file" | "environment";
            /** @description Whether a change of the setting takes effect only after a restart of the hub. */
            restart: boolean;
            /** @description Text, number, true, false, or a list. Of fixed arguments of tools, only the names are returned, because the values may be secrets. */
            value: unknown;
            /** @description Environment variable that overrides the value in the file. */
            variable?: string;
        };
        SetupPlan: {
            /** @description Changes of the files of editors that add the hub's entry. */
            editors: components["schemas"]["EditorPlan"][];
            /** @description All servers that the editors have, also those that would not be imported. */
            found: components["schemas"]["EditorImportScan"];
            /** @description The servers that would be imported, and the entries that would be removed from editors. */
            import: components["schemas"]["EditorImportReport"];
        };
        SetupResult: {
            /**
             * Format: date-time
             * @description Missing if there was no run.
             */
            at?: string;
            /** @description The changes that added the hub's entry to editors. */
            editors: components["schemas"]["EditorOutcome"][];
            import: components["schemas"]["EditorImportReport"];
            /** @description The entries that were removed from editors. */
            removed: components["schemas"]["EditorImportRemoval"][];
            /** @description The servers of the editors. */
            servers: components["schemas"]["SetupServer"][];
            /** @description Whether there is something to undo. */
            undoable: boolean;
            /**
             * Format: date-time
             * @description When the run was undone; missing if it was not.
             */
            undone?: string;
        };
        SetupRun: {
            /**
             * Format: date-time
             * @description Missing if there was no run.
             */
            at?: string;
            /** @description The changes that added the hub's entry to editors. */
            editors: components["schemas"]["EditorOutcome"][];
            /** @description The entries that were removed from editors. */
            removed: components["schemas"]["EditorImportRemoval"][];
            /** @description The servers of the editors. */
            servers: components["schemas"]["SetupServer"][];
            /** @description Whether there is something to undo. */
            undoable: boolean;
            /**
             * Format: date-time
             * @description When the run was undone; missing if it was not.
             */
            undone?: string;
        };
        SetupServer: {
            /**
             * Format: int64
             * @description Identifier of an imported server.
             */
            id?: number;
            name: string;
            /** @description Why the server was not imported. */
            problem?: string;
            /**
             * @description imported, here (configured before the run) or failed.
             * @enum {string}
             */
            status: "imported" | "here" | "failed";
        };
        SetupStart: {
            /** @description Why the server could not start, for people. It may contain text of the server. */
            cause?: string;
            /** Format: int64 */
            id: number;
            name: string;
            /**
             * @description starting, ready (its tools are listed), waiting (for approval), disabled (as in the editor), variable (it needs an environment variable), sign_in (a person must sign in) or failed.
             * @enum {string}
             */
            state: "starting" | "ready" | "waiting" | "disabled" | "variable" | "sign_in" | "failed";
            /**
             * Format: int64
             * @description Number of listed tools.
             */
            tools: number;
            /** @description Name of the environment variable that the server needs, if state is variable. Store a secret of this name for the server, then start the server again. */
            variable?: string;
        };
        SetupStarts: {
            /** @description The imported servers, except those that were removed since. */
            servers: components["schemas"]["SetupStart"][];
            /**
             * Format: int64
             * @description Number of servers whose first start has not ended.
             */
            starting: number;
            /** @description A need that one of the servers meets; missing while servers are starting, and if none has a tool that is found. */
            try?: components["schemas"]["SetupTry"];
        };
        SetupTry: {
            /** @description Name under which agents call the tool. */
            call_as: string;
            /** @description Description of the tool, which comes from its server. */
            description: string;
            need: string;
            server: string;
            tool: string;
        };
        SetupUndone: {
            /** @description The changes of editors' files that were undone. */
            editors: components["schemas"]["EditorOutcome"][];
            /** @description Names of the servers that stay in the hub, because their entries could not be returned to the editors. */
            kept: string[];
            /** @description Names of the servers that were removed from the hub. */
            removed: string[];
        };
        SignIn: {
            /** @description Whether somebody was signed in before, so that the person must sign in again: the token has expired, or the server asks for more permissions. */
            again?: boolean;
            /** @description When the current token expires. If possible, it is renewed before. */
            expires?: string;
            /** @description Why the last sign-in failed. */
            failure?: string;
            /** @description The authorization server. */
            issuer?: string;
            /** @description Scopes of the current token. */
            scopes?: string[] | null;
            /** @description Name of the server. */
            server: string;
            /**
             * @description required: a request failed because a person must sign in; waiting: a sign-in waits for a person.
             * @enum {string}
             */
            state: "signed_out" | "signed_in" | "required" | "waiting";
        };
        SignInPage: {
            /** @description Address of the sign-in page to open in a browser; missing if the sign-in needs no person. */
            address?: string;
            /** @description Path of a file that opens the sign-in page in a browser, if the request asks for a file. */
            file?: string;
            /** @description Address of the hub to which the authorization server redirects the browser at the end of the sign-in. Only a browser on this machine reaches it. */
            redirect?: string;
            /** @description Name of the server. */
            server: string;
        };
        SignedOut: {
            /** @description Name of the server. */
            server: string;
            /** @description Always signed_out. */
            status: string;
            /** @description Why the token could not be revoked. */
            warning?: string;
        };
        Status: {
            /**
             * Format: int64
             * @description Number of servers that are always listed.
             */
            active_count: number;
            /** @description Whether all servers are paused. */
            paused?: boolean;
            /** @description Why the hub currently cannot store calls in the log. */
            problem?: string;
            /** @description Servers that are always listed. */
            servers: components["schemas"]["ActiveServer"][] | null;
            /** @description Why the hub does not listen on its configured port; missing if it does. */
            taken_port?: components["schemas"]["TakenPort"];
            /**
             * Format: int64
             * @description Number of held items that wait for a person's decision.
             */
            waiting: number;
            /**
             * Format: int64
             * @description Number of items in use that a person should review, because the scan warns of them or their definitions change back and forth.
             */
            warned: number;
        };
        SurfaceTools: {
            surface: string;
            /**
             * Format: int64
             * @description Number of tokens of the definitions of the tools.
             */
            tokens: number;
            /**
             * Format: int64
             * @description Number of tools.
             */
            tools: number;
        };
        Switched: {
            on: boolean;
        };
        SyncFailure: {
            error: string;
            name: string;
        };
        SyncFields: {
            /** @description Path of a setup file; the configured file by default. */
            file?: string;
        } & {
            [key: string]: unknown;
        };
        SyncFolder: {
            /** @description Distinguishes this folder from others, wherever it is. */
            id: string;
            /** @description Name of the file of this machine in the folder's subfolder machines. */
            machine: string;
            /** @description Absolute path of the folder. */
            path: string;
        };
        SyncFolderFields: {
            /** @description Whether objects are deleted even if many are missing on one side. */
            deletions?: boolean;
            /** @description Whether to change nothing and only return what would be done. */
            dry_run?: boolean;
            /** @description Hash that a dry run has returned; a person's request needs it if this machine is changed. */
            hash?: string;
            /** @description Names of objects whose conflicts are decided for this machine, as NAME or KIND/NAME. */
            mine?: string[] | null;
            /** @description Names of objects whose conflicts are decided for the folder. */
            theirs?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        SyncFolderInitFields: {
            /** @description Absolute path of the folder. It is created if it does not exist. */
            path: string;
        } & {
            [key: string]: unknown;
        };
        SyncNote: {
            name: string;
            note: string;
        };
        SyncResult: {
            activated: string[] | null;
            errors: components["schemas"]["SyncFailure"][] | null;
            notes?: components["schemas"]["SyncNote"][] | null;
            registered: string[] | null;
            skipped: string[] | null;
            unset_variables?: string[] | null;
            waiting_for_approval?: string[] | null;
        };
        Synced: {
            dry_run: boolean;
            /** @description Path of the folder. */
            folder: string;
            /** @description Hash of all changes of this machine. A person sends it with the synchronization, so that only what a dry run has shown is done. */
            hash: string;
            items: components["schemas"]["SyncedItem"][];
        };
        SyncedField: {
            /** @description Whether both sides have changed it. */
            conflict?: boolean;
            /** @description Value in the folder, which this machine gets unless the folder is changed. */
            folder?: string;
            /** @description Value on this machine, as text or JSON; missing if there is none. */
            here?: string;
            /** @description Its members from outside to inside, joined with dots. */
            name: string;
        };
        SyncedItem: {
            /**
             * @description take: this machine gets what the folder has; remove: this machine removes it; write and delete: the folder; merge: both get the changes of both; conflict: a person has to choose a side; apart: it is not synchronized.
             * @enum {string}
             */
            action: "take" | "remove" | "write" | "delete" | "merge" | "conflict" | "apart" | "failed";
            /** @description The values that differ; of an object that this machine gets, those that change here. Missing if only the folder changes and has no such object, or if an object is removed. */
            fields?: components["schemas"]["SyncedField"][] | null;
            /** @enum {string} */
            kind: "settings" | "servers" | "toolsets" | "personas" | "approvals";
            name: string;
            /** @description Whether the side that gets the object has none of this name. */
            new?: boolean;
            /** @description Sentences about the remaining steps and about limitations. */
            notes?: string[] | null;
            /** @description The command that a start of the server would run here; only in a dry run. */
            runs?: components["schemas"]["Runs"];
            /** @description Level of the sandbox of the server here. */
            sandbox?: string;
            /** @description Whether it was not done, because it changes this machine, which needs a person. */
            waiting?: boolean;
            /** @description Why it failed, or is not synchronized. */
            why?: string;
        };
        TakenPort: {
            /** @description The remedy, in sentences. */
            advice: string;
            /** @description Names of the tokens of MCP clients that connect over HTTP. */
            clients?: string[] | null;
            /** @description Whether no program uses the port now, so that the hub gets it when it restarts. */
            free?: boolean;
            /** @description The process that uses the port, as far as the system reports it. */
            holder?: components["schemas"]["PortHolder"];
            /**
             * Format: int64
             * @description The configured port.
             */
            port: number;
            /** @description The state of the port, and the MCP clients that do not reach the hub. */
            problem: string;
            /** @description The state of the port, in a few words. */
            summary: string;
        };
        TemplatesReply: {
            /** @description The value of cursor for the next page; missing on the last page. */
            nextCursor?: string;
            /** @description Templates as the server listed them: objects with uriTemplate, name and more. */
            resourceTemplates: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        TicketFields: {
            /** @description Whether to write a ticket for a page to a file that opens the dashboard in a browser, instead of returning the ticket. Only the user of the hub can read the file. The file is removed when the ticket expires. */
            file?: boolean;
            /**
             * @description Purpose of the ticket. page: it is exchanged for a session at /api/session. socket: it opens a WebSocket.
             * @enum {string}
             */
            purpose: "page" | "socket";
            /** @description Name of the browser's snap package. The file is then in a folder that the snap can read. */
            snap?: string;
        } & {
            [key: string]: unknown;
        };
        TicketView: {
            /** Format: date-time */
            expires_at: string;
            /** @description Path of the file that contains the ticket. */
            file?: string;
            /** @description The ticket. It can be used once. */
            ticket?: string;
        };
        Timeouts: {
            /** Format: int64 */
            call_ns?: number;
            /** Format: int64 */
            start_ns?: number;
        };
        TokenFields: {
            /** @description Identifier of the AI editor that will use the token. The hub adapts names of tools and schemas of arguments to the limits of the editor. */
            client?: string;
            name: string;
            /** @description Surface of the client: registry (the default), meta, native, server:NAME for the tools of one server, or toolset:NAME for those of a toolset. */
            surface?: string;
        } & {
            [key: string]: unknown;
        };
        Tool: {
            description: string;
            /** @description Hash of everything that a model sees of the tool: name, description and schemas. */
            hash: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool.
             */
            id: number;
            /** @description JSON schema of the arguments; null if the tool has none. Missing if the request has brief=true. */
            input_schema?: unknown;
            name: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool's server.
             */
            server_id: number;
            /** @description Title to show to people; empty when the tool has none. */
            title: string;
            /**
             * Format: int64
             * @description Number of tokens that the definition takes in a model's context (o200k_base); 0 until it is counted.
             */
            tokens: number;
        };
        ToolApproval: {
            /** @description When a person approved the calls of the tool, in UTC (RFC 3339). The approval applies until the definition of the tool or the launch of its server changes. */
            createdAt: string;
            server: string;
            tool: string;
        };
        ToolChange: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            change: "added" | "updated" | "removed";
            /** @description Hash after the change; missing for a removed tool. */
            currentHash?: string;
            /** @description Hash before the change; missing for an added tool. */
            previousHash?: string;
            tool: string;
            /**
             * Format: int64
             * @description Version of the hash algorithm. Hashes of different versions cannot be compared.
             */
            version: number;
        };
        ToolClient: {
            /**
             * Format: int64
             * @description Number of calls, refused ones included.
             */
            calls: number;
            /** @description Time of the last call in UTC, for example 2026-01-31 08:00:00. */
            last_called_at: string;
            /** @description Name that the client sent when it connected; api or tester for calls through the REST API. */
            name: string;
        };
        ToolDetail: {
            /** @description Name under which agents see the tool, if the configuration renames the tool. */
            appears_as?: string;
            /** @description Object with the tool as its server listed it. */
            definition: unknown;
            description: string;
            /** @description Why the configuration forbids calls of the tool, for people. The wording may change. */
            disabled?: string;
            /** @description The same in a few words, such as: disabled by rule 0. */
            disabled_by?: string;
            /** @description When the hub first saw the tool, in RFC 3339. Missing for tools that are older than the stored history, and if the request has brief=true. */
            discovered_at?: string;
            /** @description Whether the tool is in every client's list: its server is always listed and usable, and no rule disables the tool. */
            enabled: boolean;
            /** @description Hash of everything that a model sees of the tool: name, description and schemas. */
            hash: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool.
             */
            id: number;
            /** @description JSON schema of the arguments; null if the tool has none. Missing if the request has brief=true. */
            input_schema?: unknown;
            /** @description Tags that the rules in the configuration give the tool. */
            labels: string[];
            /** @description Statistics; left out for a tool that was never called. */
            metrics?: components["schemas"]["ToolMetrics"];
            name: string;
            /** @description Name of the server. */
            server: string;
            /**
             * Format: int64
             * @description Unique identifier of the tool's server.
             */
            server_id: number;
            /** @description State of the tool's server, as in /api/servers. */
            server_state?: string;
            /** @description Title to show to people; empty when the tool has none. */
            title: string;
            /**
             * Format: int64
             * @description Number of tokens that the definition takes in a model's context (o200k_base); 0 until it is counted.
             */
            tokens: number;
            /** @description When the definition last changed, in RFC 3339. Missing when discovered_at is. */
            updated_at?: string;
            used: components["schemas"]["ToolUse"];
        };
        ToolMetrics: {
            /**
             * Format: int64
             * @description Mean duration, in milliseconds.
             */
            avg_latency_ms: number;
            /** Format: int64 */
            call_count: number;
            /** Format: int64 */
            error_count: number;
            /** @description Time of the last call in UTC, for example 2026-01-31 08:00:00. */
            last_called_at: string;
            /**
             * Format: double
             * @description Longest duration, in milliseconds.
             */
            max_ms: number;
            /**
             * Format: double
             * @description Median duration, in milliseconds; null while unknown.
             */
            p50_ms: number | null;
            /**
             * Format: double
             * @description 95th percentile of the duration, in milliseconds; null while unknown.
             */
            p95_ms: number | null;
            tool_name: string;
        };
        ToolUse: {
            /** @description Clients that have called the tool, according to the journal: at most 50, those with most calls first. */
            clients: components["schemas"]["ToolClient"][];
            /** @description Whether the tool is in every client's list. */
            enabled: boolean;
            /** @description Names of connected clients to whose tool list find_tool has added the tool. */
            lent_to: string[];
        };
        ToolsReply: {
            /** @description All tools as the server listed them: objects with name, inputSchema and more. */
            tools: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        ToolsetFields: {
            description?: string;
            /** @description Name of the toolset: 2 to 50 lower-case letters, digits and hyphens. */
            name: string;
            /** @description The tools, from 1 to 100, in the order in which clients list them. */
            tools: components["schemas"]["ToolsetReference"][];
        } & {
            [key: string]: unknown;
        };
        ToolsetList: {
            /** @description Maps clients to the names of their toolsets. A client is the identifier of an editor, or token:ID with the identifier of a token; the empty key stands for all other clients. An empty name means no toolset. */
            equipped: {
                [key: string]: string;
            };
            /** @description The toolsets, sorted by name. */
            toolsets: components["schemas"]["ToolsetView"][];
        };
        ToolsetReference: {
            note?: string;
            server: string;
            tool: string;
        };
        ToolsetTool: {
            /** @description Description in the definition that a person has accepted or, if that is unknown, in the current definition. */
            description: string;
            /** @description Why the configuration forbids calls of the tool, for people; clients then do not list it. */
            disabled?: string;
            /** @description The same in a few words, such as: disabled by rule 0. */
            disabled_by?: string;
            /** @description How the current definition of a drifted tool differs from the accepted one, word by word. */
            drift?: components["schemas"]["Drift"];
            /** @description Why the current definition of a drifted or waiting tool is held for all clients until a person approves it; missing if it is not. To pin the tool also approves a definition that is held only because it has changed. */
            held?: string;
            /** @description Note that the hub appends to the description of the tool. */
            note?: string;
            /** @description Note that an agent has proposed and that a person has neither accepted nor discarded yet. */
            proposed_note?: string;
            proposed_note_by?: string;
            server: string;
            /**
             * @description ready: clients can call the tool. drifted: its definition differs from the one that a person has accepted or is held, so calls are refused. missing: its server was removed or no longer lists the tool. waiting: its server waits for approval, is disabled or is incomplete, or the tool itself waits for approval.
             * @enum {string}
             */
            state: "ready" | "drifted" | "missing" | "waiting";
            /**
             * Format: int64
             * @description Number of tokens of the tool's definition; 0 if clients do not list the tool.
             */
            tokens: number;
            tool: string;
        };
        ToolsetView: {
            /** @description Whether clients may use the toolset. A toolset that an agent has built must first be approved by a person. */
            approved: boolean;
            /** Format: date-time */
            created_at: string;
            description: string;
            /** @description Client that is equipped with the toolset when a person approves it; missing for none. */
            equip_for?: string;
            /** @description Hash of all parts of the toolset that an approval covers. */
            hash: string;
            name: string;
            /** @description Name of the client whose agent has built the toolset. */
            proposed_by?: string;
            /**
             * Format: int64
             * @description Number of tokens of the tool definitions that a client of this toolset lists (o200k_base).
             */
            tokens: number;
            /** @description The tools, in the order in which clients list them. */
            tools: components["schemas"]["ToolsetTool"][];
            /** Format: date-time */
            updated_at: string;
        };
        TransientFields: {
            /** @description Arguments of the command. */
            args?: string[] | null;
            /** @description Program of a stdio server. */
            command?: string;
            /** @description Environment variables of the server's process. */
            env?: {
                [key: string]: string;
            };
            /** @description HTTP headers to send to a remote server. */
            headers?: {
                [key: string]: string;
            };
            /** @description Name of a configured server. A copy of this server is started, with its secrets; the fields that describe a server are not needed. */
            server?: string;
            /** @description stdio, streamable-http or sse. If it is missing, the default is stdio for a server that has a command or no url, sse if the path of url ends in /sse, and otherwise streamable-http. */
            transport?: string;
            /**
             * Format: double
             * @description How long the server may be unused before the hub stops it, in milliseconds.
             */
            ttl_ms?: number;
            /** @description URL of a remote server. */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        TransientReply: {
            /** @description Object with the MCP capabilities of the server. */
            capabilities: unknown;
            /**
             * Format: int64
             * @description When the hub stops the server unless it is used before, in milliseconds since 1970 UTC.
             */
            expiresAt: number;
            /** @description Identifier of the server in the paths of the API. */
            handle: string;
            /** @description Name of the server in the journal and in pushed messages. */
            serverName: string;
            serverVersion: components["schemas"]["NamedVersion"];
            /** @description Tools as the server listed them. */
            tools: unknown[] | null;
        };
        TriedRule: {
            /**
             * Format: int64
             * @description Number of tools that the rule would disable.
             */
            disabled: number;
            /** @description The tools that the rule matches or excludes, and those that it would enable or disable. If it is the first rule that enables tools, it also disables all tools that no rule matches. */
            effects: components["schemas"]["RuleEffect"][];
            /**
             * Format: int64
             * @description Number of tools that the rule would enable.
             */
            enabled: number;
            /**
             * Format: int64
             * @description Number of tools that the rule matches.
             */
            hits: number;
            /**
             * Format: int64
             * @description Number of known tools.
             */
            tools: number;
        };
        TrustApproval: {
            /**
             * Format: int64
             * @description Number of items that were approved.
             */
            approved: number;
            /**
             * Format: int64
             * @description Number of items that still wait, because the scan has found something in them.
             */
            waiting: number;
        };
        TrustDecision: {
            /** @description Whether the person has seen the findings of the scan for a blocked item, and approves the item nevertheless. Without this confirmation, the request fails with the code confirmation_required. */
            confirmed?: boolean;
            /** @description Hash of the definition that the person has reviewed. */
            hash: string;
        } & {
            [key: string]: unknown;
        };
        TrustDetail: {
            approved_at?: string;
            /**
             * @description How the approved definition was approved: person (by a person), scan (together with the server, because the scan found nothing that forbids it), or existing (the item was in use before the hub held items).
             * @enum {string}
             */
            approved_by?: "person" | "scan" | "existing";
            /** @description The approved definition of the item as JSON, with invisible characters shown as U+XXXX; missing if there is none. */
            approved_definition?: string;
            /** @description How the latest definition differs from the approved one. */
            changes: components["schemas"]["Change"][];
            /** @description The latest definition of the item as JSON. Invisible characters are shown as U+XXXX. */
            definition: string;
            /** @description Findings of the scan, most suspicious first. */
            findings: components["schemas"]["Finding"][];
            /**
             * Format: int64
             * @description How often the definition has changed and changed back since a person last reviewed the item.
             */
            flips?: number;
            /** @description Hash of the latest definition of the item. Send it with a decision, so that the decision fails if the definition has changed. */
            hash: string;
            /** Format: int64 */
            id: number;
            /** @enum {string} */
            kind: "tool" | "prompt" | "resource" | "template" | "instructions";
            /** @description Whether the server currently lists the item. */
            listed: boolean;
            /** @description Name of a tool or prompt, URI of a resource, URI template of a template; empty for instructions. */
            name: string;
            /** Format: double */
            points: number;
            /**
             * @description Why the item is held. new: the server added it after its items were approved. proposed: an agent proposed the server. launch: the server is started in another way than before. changed: the definition has changed. scan: the scan has found something suspicious. rejected: a person has rejected it. alike: its name is easily confused with that of another item of the server.
             * @enum {string}
             */
            reason?: "new" | "proposed" | "launch" | "changed" | "scan" | "rejected" | "alike";
            server: string;
            /** @description When the item entered its state, in UTC (RFC 3339). */
            since: string;
            /**
             * @description State of the item; only approved items reach agents. pending: nobody has approved the item. changed: its definition differs from the approved one. blocked: the scan has found signs of an attack. rejected: a person has rejected the definition.
             * @enum {string}
             */
            state: "approved" | "pending" | "changed" | "blocked" | "rejected";
            /**
             * @description Verdict of the scan on the latest definition.
             * @enum {string}
             */
            verdict: "none" | "note" | "warn" | "block";
            /** @description Whether the item is held until a person decides. */
            waits: boolean;
            /** @description Whether the item is in use, but a person should review it. */
            warns: boolean;
            /** @description Why the item is held, as the end of a sentence, for people. */
            why?: string;
        };
        TrustItem: {
            approved_at?: string;
            /**
             * @description How the approved definition was approved: person (by a person), scan (together with the server, because the scan found nothing that forbids it), or existing (the item was in use before the hub held items).
             * @enum {string}
             */
            approved_by?: "person" | "scan" | "existing";
            /** @description Findings of the scan, most suspicious first. */
            findings: components["schemas"]["Finding"][];
            /**
             * Format: int64
             * @description How often the definition has changed and changed back since a person last reviewed the item.
             */
            flips?: number;
            /** @description Hash of the latest definition of the item. Send it with a decision, so that the decision fails if the definition has changed. */
            hash: string;
            /** Format: int64 */
            id: number;
            /** @enum {string} */
            kind: "tool" | "prompt" | "resource" | "template" | "instructions";
            /** @description Whether the server currently lists the item. */
            listed: boolean;
            /** @description Name of a tool or prompt, URI of a resource, URI template of a template; empty for instructions. */
            name: string;
            /** Format: double */
            points: number;
            /**
             * @description Why the item is held. new: the server added it after its items were approved. proposed: an agent proposed the server. launch: the server is started in another way than before. changed: the definition has changed. scan: the scan has found something suspicious. rejected: a person has rejected it. alike: its name is easily confused with that of another item of the server.
             * @enum {string}
             */
            reason?: "new" | "proposed" | "launch" | "changed" | "scan" | "rejected" | "alike";
            server: string;
            /** @description When the item entered its state, in UTC (RFC 3339). */
            since: string;
            /**
             * @description State of the item; only approved items reach agents. pending: nobody has approved the item. changed: its definition differs from the approved one. blocked: the scan has found signs of an attack. rejected: a person has rejected the definition.
             * @enum {string}
             */
            state: "approved" | "pending" | "changed" | "blocked" | "rejected";
            /**
             * @description Verdict of the scan on the latest definition.
             * @enum {string}
             */
            verdict: "none" | "note" | "warn" | "block";
            /** @description Whether the item is held until a person decides. */
            waits: boolean;
            /** @description Whether the item is in use, but a person should review it. */
            warns: boolean;
            /** @description Why the item is held, as the end of a sentence, for people. */
            why?: string;
        };
        TrustList: {
            /** @description The items, sorted by server, kind and position in the server's list. */
            items: components["schemas"]["TrustItem"][];
            /** @description The servers to which the items belong, and servers that are not started because their configuration has changed. */
            servers: components["schemas"]["TrustServer"][];
            /**
             * Format: int64
             * @description Number of held items that wait for a person's decision.
             */
            waiting: number;
            /**
             * Format: int64
             * @description Number of items in use that a person should review, because the scan warns of them or their definitions change back and forth.
             */
            warned: number;
        };
        TrustServer: {
            /**
             * Format: int64
             * @description Number of the server's waiting items that can be approved together, because the scan finds nothing in them.
             */
            clean: number;
            /**
             * Format: int64
             * @description Identifier of the server.
             */
            id: number;
            /** @description How the launch of the server differs from the launch for which its items were approved; missing if it does not differ. */
            launch_changes?: components["schemas"]["LaunchChange"][] | null;
            /** @description Hash of the launch, that is, of all parts of the configuration that determine what runs when the server starts. Send it with an approval, so that the approval fails if the configuration has changed. */
            launch_hash: string;
            name: string;
            /** @description Name of the client whose agent proposed the server, as the client reports it. */
            proposed_by?: string;
            /**
             * Format: int64
             * @description Number of the server's items that wait for a decision.
             */
            waiting: number;
        };
        TrustServerDecision: {
            /** @description The launch_hash of the configuration that the person has reviewed. */
            launch_hash: string;
        } & {
            [key: string]: unknown;
        };
        TryFields: {
            /**
             * Format: int64
             * @description Index in the current list of rules at which to insert the rule; by default, the rule is appended.
             */
            at?: number;
            /** @description Object with pattern, server, enabled and tags, as in discovery.tool_rules of the settings file. */
            rule: unknown;
        } & {
            [key: string]: unknown;
        };
        UpdateCall: {
            after: string;
            answer?: string;
            arguments?: unknown;
            before: string;
            differences?: components["schemas"]["UpdateDifference"][] | null;
            /** Format: int64 */
            latency_ms: number;
            /** Format: int64 */
            record: number;
            same: boolean;
            tool: string;
        };
        UpdateChange: {
            added?: string[] | null;
            after?: string;
            before?: string;
            changed?: string[] | null;
            description: boolean;
            hints: boolean;
            removed?: string[] | null;
            required?: string[] | null;
            schema: boolean;
            tool: string;
        };
        UpdateComparison: {
            added?: string[] | null;
            /** Format: date-time */
            at: string;
            changed?: components["schemas"]["UpdateChange"][] | null;
            command?: string[] | null;
            env?: {
                [key: string]: string;
            };
            from: string;
            hash?: string;
            headers?: {
                [key: string]: string;
            };
            inputs?: components["schemas"]["PlanQuestion"][] | null;
            notes?: string[] | null;
            plan?: components["schemas"]["Plan"];
            problem?: string;
            removed?: string[] | null;
            replay?: components["schemas"]["UpdateReplay"];
            server: string;
            sign_in?: boolean;
            to: string;
            unstarted?: boolean;
            url?: string;
        };
        UpdateDifference: {
            after: string;
            before: string;
            path: string;
        };
        UpdateLeft: {
            /** Format: int64 */
            cut: number;
            /** Format: int64 */
            limited: number;
            /** Format: int64 */
            not_read_only: number;
            /** Format: int64 */
            redacted: number;
            /** Format: int64 */
            repeated: number;
            /** Format: int64 */
            unanswered: number;
        };
        UpdateReplay: {
            calls: components["schemas"]["UpdateCall"][] | null;
            /** Format: int64 */
            different: number;
            left_out: components["schemas"]["UpdateLeft"];
            /** Format: int64 */
            same: number;
        };
        UpdateServer: {
            /** Format: date-time */
            checked?: string;
            former?: string;
            latest?: string;
            listing: string;
            message?: string;
            option: string;
            problem?: string;
            server: string;
            status?: string;
            title?: string;
            updatable: boolean;
            version: string;
        };
        UpdateToolsetFields: {
            description?: string;
            /** @description The tools, from 1 to 100, in the order in which clients list them. */
            tools: components["schemas"]["ToolsetReference"][];
        } & {
            [key: string]: unknown;
        };
        UriFields: {
            /** @description URI of the resource. */
            uri: string;
        } & {
            [key: string]: unknown;
        };
        VaultStatus: {
            /** @description The remedy if secrets cannot be stored. */
            advice?: string;
            /**
             * @description State of the file that is encrypted with a passphrase.
             * @enum {string}
             */
            file: "none" | "locked" | "unlocked";
            /**
             * @description Place where new secrets are stored: in the keychain of the operating system, in the encrypted file, or nowhere.
             * @enum {string}
             */
            keeper: "keychain" | "file" | "none";
            /** @description Why new secrets are stored in the place that keeper names. */
            why: string;
        };
        Warmed: {
            /** @description Why the download failed. */
            error?: string;
            /** @description The downloaded package. */
            package?: string;
            /** @description Why the download was skipped. */
            reason?: string;
            /** @description downloaded, skipped or failed. */
            status: string;
        };
    };
    responses: {
        /** @description The request is malformed, or a value in it is invalid. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
                "text/plain": string;
            };
        };
        /** @description The request conflicts with an existing object, or with a change that was made in the meantime. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The sender of the request is not allowed to do this, or an approval is missing. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The hub, a server or another program failed. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The path, or an object that the request names, does not exist. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
                "text/plain": string;
            };
        };
        /** @description The body of the request is too large. */
        RequestEntityTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The body of the request did not arrive in time. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description A program or service that the operation needs is not available now, or too many requests are being served. */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description Too many operations are in progress; try again later. */
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request has no valid token, ticket or signature. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request is well-formed, but a value in it is invalid. */
        UnprocessableEntity: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-api-about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HubAbout"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOfRememberedAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-answers-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the answer. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerValues"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-answers-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the answer. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-audit": {
        parameters: {
            query?: {
                /** @description Only entries of the client with this name. */
                client?: string;
                /** @description Only entries of the server with this name. */
                server?: string;
                /** @description Only entries of the tool with this name. */
                tool?: string;
                /** @description Only entries with this outcome. */
                outcome?: string;
                /** @description Only entries from this time on: a time in RFC 3339, or a day in the hub's time zone. */
                since?: string;
                /** @description Only entries before this time: a time in RFC 3339, or a day in the hub's time zone, which is included. */
                until?: string;
                /** @description Only entries whose position is smaller than this one. */
                before?: string;
                /** @description Maximum number of entries, from 1 to 1000; 100 by default. */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-audit-export": {
        parameters: {
            query?: {
                /** @description Only entries of the client with this name. */
                client?: string;
                /** @description Only entries of the server with this name. */
                server?: string;
                /** @description Only entries of the tool with this name. */
                tool?: string;
                /** @description Only entries with this outcome. */
                outcome?: string;
                /** @description Only entries from this time on: a time in RFC 3339, or a day in the hub's time zone. */
                since?: string;
                /** @description Only entries before this time: a time in RFC 3339, or a day in the hub's time zone, which is included. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-audit-verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-auth-complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PastedFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-browse": {
        parameters: {
            query?: {
                query?: string;
                /** @description Largest number of servers, from 1 to 100; 20 by default. */
                limit?: string;
                /** @description The next_cursor of the previous page, for the same query. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowseReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfigFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReloadedConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-config-reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReloadedConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-config-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReloadedConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-config-rules-remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReloadedConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextCost"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-discovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryState"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-discovery": {
        parameters: {
            query?: {
                /** @description Name of the server; by default, all running servers. */
                server?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-discovery-history": {
        parameters: {
            query: {
                server: string;
                tool: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-editors": {
        parameters: {
            query?: {
                /** @description Whether to include editors that were not detected on this machine. */
                all?: boolean;
                /** @description Environment variables of the client that change where editors keep their files, each as NAME=VALUE. */
                env?: string[] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-editors-checkup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorDoctorReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-editors-export": {
        parameters: {
            query?: {
                /** @description Identifier of an editor. */
                editor?: string;
                /** @description Names of servers, separated by commas; all by default. */
                servers?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorImportExported"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-editors-found-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FoundToolsFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTools"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-editors-history": {
        parameters: {
            query?: {
                /** @description Identifier of an editor; all editors by default. */
                editor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorHistory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-history-forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgetFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forgotten"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntakeFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorImportReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditorPlanFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plans"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditorFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-reviewed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PingFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScanFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scanned"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-editors-servers": {
        parameters: {
            query?: {
                /** @description Identifier of an editor; all editors by default. */
                editor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorImportScan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-editors-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditorSettingsFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditorSettings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditorUndoFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-editors-unregister": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditorFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-elicitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOfElicitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-elicitations-by-id-respond": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the question. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ExportFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-export-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportExportFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedExport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FindFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChecksReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-learned": {
        parameters: {
            query?: {
                /** @description Maximum number of entries; all by default. */
                limit?: number;
                /** @description Number of entries to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-learned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LearnedFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Switched"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-learned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-learned-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the entry. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-logs": {
        parameters: {
            query?: {
                /** @description Only entries of the server with this name. */
                server?: string;
                /** @description Only entries of the tool with this name. */
                tool?: string;
                /** @description Only entries of these kinds, separated by commas or in repeated parameters. */
                kind?: string[] | null;
                /** @description Only entries that succeeded (true) or failed (false). */
                success?: string;
                /** @description Only entries with this outcome. */
                outcome?: string;
                /** @description Only entries from this time on: a time in RFC 3339, or a day in the hub's time zone. */
                since?: string;
                /** @description Only entries before this time: a time in RFC 3339, or a day in the hub's time zone, which is included. */
                until?: string;
                /** @description Only entries whose tool, arguments or response contain this text. Case is ignored. */
                text?: string;
                /** @description Only entries whose id is smaller than this one. */
                before_id?: string;
                /** @description Maximum number of entries, up to 500. A negative number -n leaves out the oldest n entries and returns all others. */
                limit?: string;
                /** @description Number of entries to skip. */
                offset?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-logs-export": {
        parameters: {
            query?: {
                /** @description Only entries of the server with this name. */
                server?: string;
                /** @description Only entries of the tool with this name. */
                tool?: string;
                /** @description Only entries of these kinds, separated by commas or in repeated parameters. */
                kind?: string[] | null;
                /** @description Only entries that succeeded (true) or failed (false). */
                success?: string;
                /** @description Only entries with this outcome. */
                outcome?: string;
                /** @description Only entries from this time on: a time in RFC 3339, or a day in the hub's time zone. */
                since?: string;
                /** @description Only entries before this time: a time in RFC 3339, or a day in the hub's time zone, which is included. */
                until?: string;
                /** @description Only entries whose tool, arguments or response contain this text. Case is ignored. */
                text?: string;
                /** @description Only entries whose id is smaller than this one. */
                before_id?: string;
                /** @description Maximum number of entries, up to 500. A negative number -n leaves out the oldest n entries and returns all others. */
                limit?: string;
                /** @description Number of entries to skip. */
                offset?: string;
                /** @description jsonl (the default) or csv. */
                format?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-logs-notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-logs-progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-details": {
        parameters: {
            query: {
                /** @description Identifier of the listing: SOURCE:NAME. */
                id: string;
                /** @description Version of the listing; the latest one by default. */
                version?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketDetails"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarketChoice"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Download"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallFields"];
            };
        };
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketJobList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-jobs-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-jobs-by-id-cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-jobs-by-id-lines": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketLines"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-mirror": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MirrorState"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarketChoice"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarketChoice"];
            };
        };
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgramReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-programs-by-name-install": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: "node" | "npx" | "uv" | "uvx" | "python" | "docker" | "podman" | "dotnet" | "dnx" | "cargo";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-search": {
        parameters: {
            query?: {
                query?: string;
                /** @description Only servers of this source. */
                source?: "official" | "npm" | "pypi";
                /** @description Only servers that can be run in this way. */
                runtime?: "npm" | "pypi" | "oci" | "nuget" | "mcpb" | "cargo" | "remote";
                /** @description Only servers of this category; see /api/market/start. */
                category?: string;
                /** @description Largest number of results; 30 by default. */
                limit?: number;
                /** @description Maximum time to wait for results, in milliseconds. The response contains the results found so far; if its member done is false, send the same request again. By default, the hub waits until all sources have answered, for at most 15 seconds. */
                wait_ms?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketStart"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MirrorState"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketUpdateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-updates-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketUpdateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-market-updates-by-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the server. */
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateComparison"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-updates-by-server-apply": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the server. */
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyFields"];
            };
        };
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-updates-by-server-compare": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the server. */
                server: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompareFields"];
            };
        };
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-market-updates-by-server-rollback": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the server. */
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation was started and continues in the background. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallProgress"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerMetrics"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-metrics-series": {
        parameters: {
            query?: {
                /** @description Start of the period: a time in RFC 3339, or a day in the hub's time zone; by default, one day before until. */
                since?: string;
                /** @description End of the period: a time in RFC 3339, which is excluded, or a day, which is included; now by default. */
                until?: string;
                /** @description Length of a step in seconds, up to 31622400. By default, 900 or, if that gives more than 1,000 points, a multiple of 900 that gives at most 1,000. The period is extended so that it starts and ends at a multiple of the step since 1970 UTC. */
                step?: string;
                /** @description Only calls of the server with this name. */
                server?: string;
                /** @description Only calls of tools with this name. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallSeries"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-metrics-tools": {
        parameters: {
            query?: {
                /** @description Order of the tools: calls (the default), errors or p95, each with the largest values first. */
                sort?: string;
                /** @description Maximum number of tools, from 1 to 500; 50 by default. */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RankedTool"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-npm-check": {
        parameters: {
            query?: {
                /** @description Name of the package. */
                package?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NpmReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupRun"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OnboardingFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-onboarding-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OnboardingFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupPlan"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-onboarding-starts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupStarts"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-onboarding-undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PingFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupUndone"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PauseReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-personas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonaList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-personas-activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActivatePersonaFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivePersona"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-personas-inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonaFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Persona"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-personas-by-name-deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-prereqs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgramPrereqs"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-presets": {
        parameters: {
            query?: {
                /** @description Only presets for the server with this name. */
                server?: string;
                /** @description Only presets of this kind: tool or prompt. */
                kind?: string;
                /** @description Only presets for the tool or prompt with this name. */
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOfPreset"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresetFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-presets-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the preset. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultsFields"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultsFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultsFields"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PauseReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-roots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Roots"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-rules-try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedRule"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-search-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretsView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-secrets-migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MigrateFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Move"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-secrets-unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PassphraseFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers": {
        parameters: {
            query?: {
                /** @description Text to search for in names, descriptions and tags. */
                query?: string;
                /** @description Only servers from this source. */
                source?: string;
                /** @description If true, only installed servers. */
                installed?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServerFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamesFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NameProblems"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-parse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ParseFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParsedServers"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-servers-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-servers-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-activate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApprovalFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-auth": {
        parameters: {
            query?: {
                /** @description Whether to delay the response until no sign-in waits for a person, for at most 20 seconds. */
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-auth-login": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LoginFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-auth-logout": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-code": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-complete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletionReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-disable": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-download": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Download"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-enable": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-export": {
        parameters: {
            query?: {
                /** @description mcp-json (the default), claude-code, cursor or agent-discover. */
                format?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-health": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-info": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerAbout"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-links": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretLink"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-servers-by-id-links-by-owner-by-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
                /** @description Name of the server that owns the secret. */
                owner: string;
                /** @description Name of the secret. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-servers-by-id-links-by-owner-by-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
                /** @description Name of the server that owns the secret. */
                owner: string;
                /** @description Name of the secret. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-logging-level": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LevelFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LevelReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-messages": {
        parameters: {
            query?: {
                /** @description Only messages whose number is greater than this one. */
                after?: number;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerMessagesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolMetrics"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-missing-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MissingSecret"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-output": {
        parameters: {
            query?: {
                /** @description Maximum number of lines. */
                lines?: number;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutputReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-ping": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PingFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pong"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-preinstall": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Warmed"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-prompt-get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-prompts": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-refresh": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-rename": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-reset-errors": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-resource-templates": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-resource-read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UriFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-resource-subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UriFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-resource-unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UriFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-resources": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourcesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-restart": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-servers-by-id-roots": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerRoots"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-servers-by-id-sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-servers-by-id-sandbox-denied": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-servers-by-id-secrets-by-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
                /** @description Name of the secret. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-servers-by-id-secrets-by-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
                /** @description Name of the secret. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-start": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-servers-by-id-stop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-servers-by-id-tools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-session-challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChallengeFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChallengeView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-session-end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-session-resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SyncFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-sync-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncFolder"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-sync-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncFolderInitFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncFolder"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-sync-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SyncFolderFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Synced"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-sync-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncFolder"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientToken"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewClientToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-tokens-by-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-tool-approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolApproval"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-tool-approvals-by-server-by-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the server. */
                server: string;
                /** @description Name of the tool, as its server lists it. */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-tools": {
        parameters: {
            query?: {
                /** @description Only tools of the server with this name. */
                server?: string;
                /** @description Only tools whose own name, or the name under which agents see them, is this one. */
                name?: string;
                /** @description Only tools with this hash, which several servers may have in common. */
                hash?: string;
                /** @description If true, input schemas and times are left out. */
                brief?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnownTool"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-tools-resolve": {
        parameters: {
            query?: {
                /** @description Name of a tool: mcp__SERVER__TOOL, SERVER__TOOL, SERVER.TOOL, or TOOL if only one server has a tool of that name. */
                name?: string;
                /** @description Name of the tool's server, if the parameter name does not include it. */
                server?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedTool"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-tools-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the tool. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-toolsets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolsetFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportToolsetFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets-unequip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EquipFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-toolsets-by-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-toolsets-by-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateToolsetFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-toolsets-by-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets-by-name-approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveToolsetFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets-by-name-equip": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EquipFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-toolsets-by-name-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportedToolset"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets-by-name-note": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-toolsets-by-name-pin": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PinFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsetView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransientFields"];
            };
        };
        responses: {
            /** @description The object was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransientReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-transient-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Handle of the transient server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-complete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletionReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-transient-by-id-export": {
        parameters: {
            query?: {
                /** @description mcp-json (the default), claude-code, cursor or agent-discover. */
                format?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-transient-by-id-info": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerAbout"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-logging-level": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LevelFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LevelReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-transient-by-id-messages": {
        parameters: {
            query?: {
                /** @description Only messages whose number is greater than this one. */
                after?: number;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerMessagesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-transient-by-id-output": {
        parameters: {
            query?: {
                /** @description Maximum number of lines. */
                lines?: number;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutputReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-ping": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PingFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pong"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-prompt-get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-transient-by-id-prompts": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-request": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-transient-by-id-resource-templates": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-resource-read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UriFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-resource-subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UriFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-transient-by-id-resource-unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UriFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-transient-by-id-resources": {
        parameters: {
            query?: {
                /** @description nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourcesReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-transient-by-id-roots": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerRoots"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "put-api-transient-by-id-roots": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Handle of the transient server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RootsFields"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerRoots"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-transient-by-id-tools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolsReply"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-trust": {
        parameters: {
            query?: {
                /** @description Only items of the server with this name. */
                server?: string;
                /** @description If true, the response also includes the items of this server that need no decision. */
                all?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-api-trust-items-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-trust-items-by-id-approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustDecision"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-trust-items-by-id-reject": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the item. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustDecision"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "list-api-trust-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptResult"][] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "delete-api-trust-results-by-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-trust-results-by-id-release": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "post-api-trust-servers-by-id-approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Unique identifier of the server. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustServerDecision"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustApproval"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    "get-hello": {
        parameters: {
            query?: {
                /** @description Random value that the client has chosen. */
                nonce?: string;
                /** @description Public identifier of a session. If it is given, the response includes session_proof. */
                session?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hello"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["RequestEntityTooLarge"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
